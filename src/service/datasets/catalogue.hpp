// The named data sets: their files, download addresses and checksums.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// How to convert the content of a file to the form that its checksum refers to.
enum class DataForm : unsigned char {
  as_it_is,
  forest_cover,  ///< covtype.data*: replace the class, 1 to 7, in the last column by a label in the first column,
                 ///< 1 for class 2 and 0 otherwise
};

struct DataFile {
  std::string name;                    ///< "train-images-idx3-ubyte"
  std::vector<std::string> names;      ///< file names in folders, packed or not; the first is that of the download
  std::vector<std::string> addresses;  ///< of the file called names[0]; tried in this order
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
/// Throws UsageError that suggests the nearest name if there is no such data set.
const NamedDataSet& data_set_named(std::string_view name);

}  // namespace sgmcmc
