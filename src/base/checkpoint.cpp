// The format of checkpoint files, their names, and when they are written.
#include "base/checkpoint.hpp"

#include "base/atomic_file.hpp"
#include "base/state_bytes.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <system_error>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "files hold numbers as they lie in memory");
constexpr std::string_view opening = "sgmcmc checkpoint 2\n";  // includes the version of the format

fs::path chain_path(const fs::path& folder, std::uint32_t chain) {
  return folder / ("chain-" + std::to_string(chain + 1) + ".checkpoint");
}
bool is_of_a_chain(const fs::path& path) {
  const std::string whole = path.filename().string();
  std::string_view name = whole;
  constexpr std::string_view beginning = "chain-", ending = ".checkpoint";
  if (!name.starts_with(beginning) || !name.ends_with(ending)) return false;
  name.remove_prefix(beginning.size());
  name.remove_suffix(ending.size());
  return !name.empty() && name.find_first_not_of("0123456789") == name.npos;
}
fs::path findings_path(const fs::path& folder) { return folder / "setup.checkpoint"; }

void append(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Reads parts from the front of bytes; throws FileError if they end too early.
class Parts {
 public:
  Parts(std::string_view bytes, const fs::path& path) : rest_(bytes), path_(path) {}
  std::string_view text(std::uint64_t length) {
    if (length > rest_.size()) damaged();
    const auto taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, text(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view rest() const { return rest_; }
  [[noreturn]] void damaged() const {
    throw SavedStateError("'" + path_.string() +
                          "' is damaged or incomplete, so the run cannot be resumed; start it again");
  }

 private:
  std::string_view rest_;
  const fs::path& path_;
};

// Builds a file in a single string, because states may be large.
constexpr std::size_t head_size = opening.size() + 2 * sizeof(std::uint64_t);  // opening, mark, and size of the state

std::string file_head(const std::string& identity) {
  std::string bytes(opening);
  append(bytes, checksum(identity));
  append(bytes, 0);  // filled in at the end
  return bytes;
}

/// bytes: the head, then the state.
void write(const fs::path& path, std::string bytes) {
  const std::uint64_t size = bytes.size() - head_size;
  std::memcpy(bytes.data() + head_size - sizeof size, &size, sizeof size);
  append(bytes, checksum(bytes));
  replace_file(path, bytes);
}

/// The verified state in the file, and the mark of its run.
std::optional<std::string> read(const fs::path& path, std::uint64_t* mark = nullptr) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::error_code error;
  const auto expected = fs::file_size(path, error);
  std::string bytes(error ? 0 : static_cast<std::size_t>(expected), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (bytes.size() >= opening.size() && !bytes.starts_with(opening) && bytes.starts_with("sgmcmc checkpoint "))
    throw SavedStateError("'" + path.string() +
                          "' was written by another version of the program; resume the run with that");
  Parts parts(bytes, path);
  if (parts.text(opening.size()) != opening) parts.damaged();
  const std::uint64_t found = parts.number(), size = parts.number();
  parts.text(size);
  const std::uint64_t sum = parts.number();
  if (!parts.rest().empty() || sum != checksum(std::string_view(bytes).substr(0, bytes.size() - sizeof sum)))
    parts.damaged();
  if (mark) *mark = found;
  bytes.resize(head_size + size);
  bytes.erase(0, head_size);
  return bytes;
}

std::optional<std::string> read_of(const fs::path& path, const std::string& identity) {
  std::uint64_t mark = 0;
  auto state = read(path, &mark);
  if (state && mark != checksum(identity))
    throw SavedStateError(
        "'" + path.string() +
        "' belongs to a run with another model, other data or other options, and cannot be resumed here");
  return state;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) {
  constexpr std::uint64_t prime = 0x100000001b3;  // FNV-1a, eight bytes at a time, with final mixing
  std::uint64_t hash = 0xcbf29ce484222325 ^ bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = (hash ^ word) * prime;
    hash ^= hash >> 29;
    bytes.remove_prefix(8);
  }
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  hash ^= hash >> 32;
  return hash * 0x9e3779b97f4a7c15;
}

void CheckpointFolder::clear() const {
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error)
    throw FileError("cannot create the folder '" + options_.folder.string() + "': " + error.message() +
                    "; name another");
  std::vector<fs::path> old = {findings_path(options_.folder)};
  // Lists files instead of counting up: a run stopped early may have saved its second chain but not its first.
  for (const auto& entry : fs::directory_iterator(options_.folder, error))
    if (is_of_a_chain(entry.path())) old.push_back(entry.path());
  if (error) throw FileError("cannot list the folder '" + options_.folder.string() + "': " + error.message());
  for (const auto& path : old) {
    fs::remove(path, error);
    if (error) throw FileError("cannot replace '" + path.string() + "': " + error.message());
  }
}

std::optional<std::string> CheckpointFolder::read_chain(std::uint32_t chain) const {
  return read_of(chain_path(options_.folder, chain), options_.identity);
}
std::size_t CheckpointFolder::write_chain(std::uint32_t chain, std::uint64_t iteration, const Visit& visit,
                                          std::size_t expected_size) const {
  std::string bytes = file_head(options_.identity);
  bytes.reserve(expected_size);
  append(bytes, iteration);
  StateWriter writer(std::move(bytes));
  visit(writer);
  bytes = writer.take();
  const std::size_t size = bytes.size();
  write(chain_path(options_.folder, chain), std::move(bytes));
  return size;
}

void CheckpointFolder::write_chain(std::uint32_t chain, std::string_view state, const Visit& visit) const {
  std::string bytes = file_head(options_.identity);
  bytes += state;
  StateWriter writer(std::move(bytes));
  visit(writer);
  write(chain_path(options_.folder, chain), writer.take());
}

std::optional<CheckpointFolder::Findings> CheckpointFolder::read_findings() const {
  const fs::path path = findings_path(options_.folder);
  const auto state = read_of(path, options_.identity);
  if (!state) return std::nullopt;
  Parts parts(*state, path);
  parts.text(parts.number());  // the identity
  Findings findings;
  for (auto count = parts.number(); count > 0; --count) {
    const std::string name(parts.text(parts.number()));
    const auto numbers = parts.number();
    if (numbers > parts.rest().size() / sizeof(double)) parts.damaged();
    auto& values = findings[name];
    values.resize(numbers);
    const auto from = parts.text(numbers * sizeof(double));
    if (numbers > 0) std::memcpy(values.data(), from.data(), from.size());
  }
  return findings;
}

void CheckpointFolder::write_findings(const Findings& findings, std::span<const double> row_probabilities) const {
  std::string state = file_head(options_.identity);
  append(state, options_.identity.size());
  state += options_.identity;
  state.reserve(state.size() + row_probabilities.size_bytes() + 1024);
  append(state, findings.size() + (row_probabilities.empty() ? 0 : 1));
  const auto add = [&](const std::string& name, std::span<const double> values) {
    append(state, name.size());
    state += name;
    append(state, values.size());
    if (!values.empty()) state.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  };
  for (const auto& [name, values] : findings) add(name, values);
  if (!row_probabilities.empty()) add("row_probabilities", row_probabilities);
  write(findings_path(options_.folder), std::move(state));
}

bool ChainCheckpoint::restore(const Visit& visit) {
  if (!place_ && !folder_.resumes()) return false;
  const auto saved = place_ ? place_->read(chain_) : folder_.read_chain(chain_);
  if (!saved) return false;
  // The iteration comes first, so that it can be read without the rest.
  if (saved->size() < sizeof saved_at_) refuse_state("iteration");
  StateReader reader(std::string_view(*saved).substr(sizeof saved_at_));
  visit(reader);
  if (place_)
    place_->restored(chain_, reader.rest().size());
  else
    reader.finish();
  std::memcpy(&saved_at_, saved->data(), sizeof saved_at_);
  return true;
}

void ChainCheckpoint::save(std::uint64_t iteration, const Visit& visit) {
  if ((!place_ && !folder_.saves()) || iteration == saved_at_ || iteration == 0) return;
  constexpr std::size_t growth = 4096;
  if (place_) {
    std::string bytes;
    append(bytes, iteration);
    StateWriter writer(std::move(bytes));
    visit(writer);
    place_->write(chain_, writer.take());
  } else {
    size_ = folder_.write_chain(chain_, iteration, visit, size_ == 0 ? 0 : size_ + growth);
  }
  saved_at_ = iteration;
}

void ChainCheckpoint::save_if_due(std::uint64_t iteration, const Visit& visit) {
  if ((!place_ && !folder_.saves()) || !(every_seconds_ > 0)) return;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < std::max(every_seconds_, least_wait_)) return;
  save(iteration, visit);
  last_ = Clock::now();
  least_wait_ =
      20 *
      std::chrono::duration<double>(last_ - now).count();  // for large states, limits saving to a twentieth of the time
}

std::optional<std::string> checkpointed_identity(const fs::path& folder) {
  const fs::path path = findings_path(folder);
  const auto state = read(path);
  if (!state) return std::nullopt;
  Parts parts(*state, path);
  return std::string(parts.text(parts.number()));
}

std::vector<std::uint64_t> checkpointed_iterations(const fs::path& folder, std::size_t chains) {
  std::vector<std::uint64_t> iterations(chains);
  for (std::size_t chain = 0; chain < chains; ++chain) {
    const fs::path path = chain_path(folder, static_cast<std::uint32_t>(chain));
    try {
      if (const auto state = read(path)) iterations[chain] = Parts(*state, path).number();
    } catch (const FileError&) {  // treats damaged files as absent
    }
  }
  return iterations;
}

}  // namespace sgmcmc
