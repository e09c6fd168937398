// Writing data sets as CSV and NPY files.
#include "service/datasets/data_set_files.hpp"

#include "service/datasets/contents.hpp"
#include "service/datasets/data_folder.hpp"
#include "service/datasets/download.hpp"

#include "base/atomic_file.hpp"
#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>

namespace sgmcmc {

namespace fs = std::filesystem;

std::string forest_cover_csv(std::string_view content) {
  const std::size_t count = forest_cover::rows(content);
  std::vector<double> values(count * forest_cover::columns);
  forest_cover::read(content, values);
  std::string text = joined(forest_cover::names(), ",") + "\n";
  std::array<char, 32> digits;
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t column = 0; column < forest_cover::columns; ++column) {
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), values[column * count + row]).ptr;
      text.append(digits.data(), end);
      text += column + 1 < forest_cover::columns ? ',' : '\n';
    }
  return text;
}

namespace {

std::string npy_head(const std::string& type, const DigitBytes& digits) {
  std::string words = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(digits.rows) +
                      (digits.columns > 1 ? ", " + std::to_string(digits.columns) : ",") + "), }";
  while ((10 + words.size() + 1) % 64 != 0) words += ' ';
  words += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(words.size() & 0xff);
  head += static_cast<char>(words.size() >> 8);
  return head + words;
}

}  // namespace

std::string digits_npy(std::string_view content) {
  const DigitBytes digits = digit_bytes(content);
  if (digits.columns == 1) return npy_head("|u1", digits) + std::string(digits.bytes);
  std::string text = npy_head("<f4", digits);
  text.reserve(text.size() + 4 * digits.bytes.size());
  for (const char byte : digits.bytes) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<unsigned char>(byte)) / 255.0f);
    for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(bits >> shift);
  }
  return text;
}

namespace {

std::string written_name(const DataFile& file) {
  if (file.form == DataForm::forest_cover) return "covertype.csv";
  std::string name = "mnist_" + std::string(file.name.starts_with("train") ? "train" : "test");
  return name + (file.name.find("images") != std::string::npos ? "_images.npy" : "_labels.npy");
}

}  // namespace

FetchedData fetch_data(const OptionValues& values, const std::atomic<bool>* interrupt,
                       const std::function<void(const std::string&)>& say) {
  const NamedDataSet& set = data_set_named(values.operands.at(0));
  const DataFolder folder = data_folder(values.text("folder"));
  fetch(set, folder, [&](const std::string& address, const fs::path& target) {
    say("downloading " + address + " ...");
    download_file(address, target, interrupt);
  });
  const fs::path out = values.text("out");
  std::error_code failed;
  if (!out.empty()) fs::create_directories(out, failed);
  if (failed) throw FileError("cannot make the folder '" + out.string() + "': " + failed.message());
  FetchedData fetched{set.name, folder.path, {}, {}};
  for (const auto& file : set.files) {
    say("checking " + file.name + " ...");
    const std::string content = checked_content(set, file, folder);
    if (interrupt && interrupt->load()) throw InterruptedError();
    fetched.files.push_back(*find_data_file(folder, set, file));
    if (out.empty()) continue;
    say("writing " + written_name(file) + " ...");
    fetched.written.push_back(out / written_name(file));
    replace_file(fetched.written.back(),
                 file.form == DataForm::forest_cover ? forest_cover_csv(content) : digits_npy(content));
  }
  return fetched;
}

std::vector<KnownData> known_data(const OptionValues& values) {
  std::vector<KnownData> all;
  const DataFolder folder = data_folder(values.text("folder"));
  for (const auto& set : named_data_sets()) {
    all.push_back({set.name, set.summary, true});
    for (const auto& file : set.files) all.back().there &= find_data_file(folder, set, file).has_value();
  }
  return all;
}

}  // namespace sgmcmc
