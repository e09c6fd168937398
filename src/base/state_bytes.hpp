// Serialises the entries that a StateVisitor visits, each with its name, to bytes.
#pragma once

#include <sgmcmc/state.hpp>

#include <sgmcmc/error.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sgmcmc {

/// The saved state is unusable: damaged, or of another run or program version.
class SavedStateError : public FileError {
 public:
  using FileError::FileError;
};

/// Throws SavedStateError: the state does not match this run at the entry of this name.
[[noreturn]] void refuse_state(std::string_view name);

/// Appends every entry to a string.
class StateWriter final : public StateVisitor {
 public:
  explicit StateWriter(std::string bytes = {}) : bytes_(std::move(bytes)) {}  ///< appends to these

  void visit(std::string_view name, double& value) override;
  void visit(std::string_view name, std::uint64_t& value) override;
  void visit(std::string_view name, std::vector<double>& values) override;
  void visit_numbers(std::string_view name, std::span<double> values) override;

  std::string take() { return std::move(bytes_); }

 private:
  void append(std::string_view name, char kind, const void* from, std::uint64_t count);
  std::string bytes_;
};

/// Restores the entries of a StateWriter in the same order; throws SavedStateError if the entries differ. The bytes
/// must outlive it.
class StateReader final : public StateVisitor {
 public:
  explicit StateReader(std::string_view bytes) : rest_(bytes) {}

  void visit(std::string_view name, double& value) override;
  void visit(std::string_view name, std::uint64_t& value) override;
  void visit(std::string_view name, std::vector<double>& values) override;
  void visit_numbers(std::string_view name, std::span<double> values) override;

  void finish() const;  ///< throws FileError if bytes remain
  std::string_view rest() const { return rest_; }

 private:
  std::uint64_t open(std::string_view name, char kind);  ///< returns the count of numbers that follow
  void copy(void* to, std::uint64_t count);
  std::string_view rest_;
};

/// Numbers of other types, copied bytewise into eight bytes each.
template <class T>
void visit_packed(StateVisitor& visitor, std::string_view name, std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T> && 8 % sizeof(T) == 0);
  std::uint64_t count = values.size();
  std::vector<double> packed((count * sizeof(T) + 7) / 8);
  if (count > 0) std::memcpy(packed.data(), values.data(), count * sizeof(T));
  visitor.visit(name, count);
  visitor.visit(name, packed);
  if (packed.size() != (count * sizeof(T) + 7) / 8) refuse_state(name);
  values.resize(count);
  if (count > 0) std::memcpy(values.data(), packed.data(), count * sizeof(T));
}

}  // namespace sgmcmc
