// Collects the options of all samplers from their structs.
#include "settings/declare.hpp"

#include "base/text.hpp"

#include <sgmcmc/dynamics.hpp>

#include <algorithm>
#include <numbers>

namespace sgmcmc {
namespace {

/// An option that several samplers may share, with the default of each.
struct SharedOption {
  OptionDescription described;  // of the first sampler
  std::vector<std::string> samplers, defaults;
};

std::vector<SharedOption> shared_options() {
  std::vector<SharedOption> all;
  for (const auto& sampler : sampler_names()) {
    for (const auto& described : describe_options(sampler_options(sampler))) {
      if (described.name == "step_size") continue;  // declared separately: it also takes parameter names
      auto same = std::find_if(all.begin(), all.end(),
                               [&](const auto& option) { return option.described.name == described.name; });
      if (same == all.end()) same = all.insert(all.end(), {described, {}, {}});
      same->samplers.push_back(sampler);
      same->defaults.push_back(described.default_text);
    }
  }
  return all;
}

std::string placeholder_of(const std::string& default_text) {
  if (default_text == "true" || default_text == "false") return "true|false";
  return number_from(default_text) ? "NUMBER" : "WORD";
}

/// "0.8, hmc: 0.9": the first default, then those that differ from it with their samplers.
std::string own_defaults(const SharedOption& option) {
  std::string text = option.defaults.front();
  for (std::size_t k = 1; k < option.samplers.size(); ++k)
    if (option.defaults[k] != option.defaults.front()) text += ", " + option.samplers[k] + ": " + option.defaults[k];
  return text;
}

}  // namespace

void declare_sampler_options(OptionTable& table) {
  const OptionGroup add(table, "Options of samplers", with_draws);
  for (const auto& shared : shared_options()) {
    const std::string& first = shared.defaults.front();
    const std::string all = own_defaults(shared);
    const bool one_default = all == first;  // if false, a record must not apply one default to all
    DeclaredOption option = add(
        option_name(shared.described.name), ValueKind::sampler, placeholder_of(first), one_default ? first : "",
        shared.described.help + (one_default ? "" : "; default: " + all) + " (" + joined(shared.samplers, ", ") + ")");
    option.samplers(shared.samplers).sets_sampler_option();
    if (number_from(first) == std::numbers::pi / 2) option.shows_default("pi/2");
  }
}

}  // namespace sgmcmc
