// RAII guard for a scope of variables.
#pragma once

#include <cstddef>

namespace sgmcmc::stan {

/// Keeps a scope open during its lifetime.
template <class Scopes>
class ScopeGuard {
 public:
  explicit ScopeGuard(Scopes& scopes) : scopes_(scopes), depth_(scopes.size()) { scopes_.emplace_back(); }
  ~ScopeGuard() { scopes_.resize(depth_); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  Scopes& scopes_;
  std::size_t depth_;
};

}  // namespace sgmcmc::stan
