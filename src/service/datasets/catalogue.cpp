// Files, addresses and checksums of the data sets. Checksums are of the unpacked content, because mirrors may compress
// it differently.
#include "service/datasets/catalogue.hpp"

#include "report/words.hpp"
#include "settings/table.hpp"

namespace sgmcmc {
namespace {

DataFile digits_file(const std::string& name, std::size_t bytes, const std::string& checksum) {
  const std::string packed = name + ".gz";
  return {name,
          {packed, name},
          {"https://storage.googleapis.com/cvdf-datasets/mnist/" + packed,
           "https://ossci-datasets.s3.amazonaws.com/mnist/" + packed},
          bytes,
          checksum};
}

}  // namespace

const std::vector<NamedDataSet>& named_data_sets() {
  static const std::vector<NamedDataSet> all = {
      {"covertype",
       "forest cover: 581,012 rows, a label and 54 features",
       {{"covtype.data",
         {"covtype.data.gz", "covtype.data", "covtype.binary.csv.xz", "covtype.binary.csv.gz", "covtype.binary.csv"},
         {"https://archive.ics.uci.edu/ml/machine-learning-databases/covtype/covtype.data.gz",
          "https://ndownloader.figshare.com/files/5976039"},
         75169317,
         "d7788a7c09e38dc88c8a01445af30c1d68570135660eb5acad79b31766aaf922",
         DataForm::forest_cover}}},
      {"mnist",
       "handwritten digits: 60,000 images of 784 pixels and 10,000 to test with",
       {digits_file("train-images-idx3-ubyte", 47040016,
                    "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
        digits_file("train-labels-idx1-ubyte", 60008,
                    "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
        digits_file("t10k-images-idx3-ubyte", 7840016,
                    "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
        digits_file("t10k-labels-idx1-ubyte", 10008,
                    "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2")}}};
  return all;
}

const NamedDataSet& data_set_named(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& one : named_data_sets()) {
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  throw UsageError("there is no data set '" + std::string(name) + "'." + suggestion(name, known));
}

}  // namespace sgmcmc
