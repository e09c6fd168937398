// The data sets that have a name: their files, where these can be downloaded, and their checksums.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// How the content of a file is brought into the form that its checksum is of.
enum class DataForm : unsigned char {
  as_it_is,
  forest_cover,  ///< files covtype.data*, with the class, 1 to 7, in the last column: to the label, 1 for class 2, in
                 ///< the first
};

struct DataFile {
  std::string name;                    ///< "train-images-idx3-ubyte"
  std::vector<std::string> names;      ///< what it is called in folders, packed or not; the first: as it is downloaded
  std::vector<std::string> addresses;  ///< of the first of the names; tried in this order
  std::size_t bytes = 0;               ///< of the unpacked content
  std::string checksum;                ///< SHA-256 of the unpacked content
  DataForm form = DataForm::as_it_is;
};

struct NamedDataSet {
  std::string name;
  std::string summary;
  std::vector<DataFile> files;
};

const std::vector<NamedDataSet>& named_data_sets();
/// Throws UsageError, with the nearest name, where there is none of that name.
const NamedDataSet& data_set_named(std::string_view name);

}  // namespace sgmcmc
