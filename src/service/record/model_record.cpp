// Describes a model for the record of a run.
#include "service/record/model_record.hpp"

#include "groups/group_model.hpp"
#include "stan/binding/model_file.hpp"

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

/// Replaces each byte that is not valid UTF-8, which JSON requires, by a question mark. Byte positions do not change.
std::string as_utf8(std::string text) {
  const auto follows = [&](std::size_t k) {
    return k < text.size() && (static_cast<unsigned char>(text[k]) & 0xC0) == 0x80;
  };
  for (std::size_t k = 0; k < text.size();) {
    const auto lead = static_cast<unsigned char>(text[k]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    bool valid = length > 0;
    for (std::size_t j = 1; j < length; ++j) valid = valid && follows(k + j);
    if (valid && length > 2) {  // reject overlong forms, surrogates and code points beyond Unicode
      const auto second = static_cast<unsigned char>(text[k + 1]);
      valid = !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F) &&
              !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F);
    }
    if (!valid) text[k] = '?';
    k += valid ? length : 1;
  }
  return text;
}

const char* kind_name(stan::StatementReport::Kind kind) {
  switch (kind) {
    case stan::StatementReport::Kind::prior: return "prior";
    case stan::StatementReport::Kind::likelihood: return "likelihood";
    case stan::StatementReport::Kind::full: break;
  }
  return "full";
}

}  // namespace

Json described_model(const StanPosterior& posterior, const SampleOptions& options) {
  constexpr std::size_t longest_text = 500'000;
  const auto& bound = posterior.bound();
  Json model;
  model["rows"] = posterior.row_axis().empty() ? 0 : posterior.rows();
  model["coordinates"] = bound.model().dimension();
  if (bound.source().text().size() <= longest_text) {
    model["text"] = as_utf8(std::string(bound.source().text()));
    model["statements"] = Json::array();
    for (const auto& statement : bound.statements())
      model["statements"].push_back(
          {{"kind", kind_name(statement.kind)}, {"begin", statement.span.begin}, {"end", statement.span.end}});
  }
  if (is_marginal(options.sampler))
    if (const auto found = find_groups(bound.model()).model)
      model["groups"] = {{"count", found->groups}, {"parameters", found->local_parameters}};
  return model;
}

}  // namespace sgmcmc
