// Converts run.json to the facts that a report page shows.
#include "service/page/record_json.hpp"

#include "base/text.hpp"
#include "report/html_page.hpp"
#include "settings/command_line.hpp"
#include "settings/table.hpp"

#include <algorithm>
#include <cctype>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

double number_at(const Json& json, const std::string& key, double otherwise = 0) {
  if (!json.is_object()) return otherwise;
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}

/// 1,234,567.
std::string grouped(double count) {
  std::string digits = formatted("%.0f", count);
  for (auto k = static_cast<std::ptrdiff_t>(digits.size()) - 3; k > 0; k -= 3)
    digits.insert(static_cast<std::size_t>(k), ",");
  return digits;
}

std::string size_text(double bytes) {
  if (bytes < 1e3) return formatted("%.0f bytes", bytes);
  return bytes < 1e6   ? formatted("%.3g kB", bytes / 1e3)
         : bytes < 1e9 ? formatted("%.3g MB", bytes / 1e6)
                       : formatted("%.3g GB", bytes / 1e9);
}

std::string file_text(const Json& entry) {
  return text_at(entry, "file") + (part_of(entry, "bytes").is_number() ? " (" + size_text(number_at(entry, "bytes")) +
                                                                             ", xxh64 " + text_at(entry, "xxh64") + ")"
                                                                       : "");
}

std::string words_on_draws(const MemoryDraws& draws) {
  if (draws.chains() == 0) return "no draws";
  std::size_t least = draws.draws(0), most = least;
  for (std::size_t chain = 1; chain < draws.chains(); ++chain) {
    least = std::min(least, draws.draws(chain));
    most = std::max(most, draws.draws(chain));
  }
  return grouped(static_cast<double>(draws.chains())) + (draws.chains() == 1 ? " chain" : " chains") + " of " +
         (least < most ? grouped(static_cast<double>(least)) + " to " : "") + grouped(static_cast<double>(most)) +
         " draws";
}

bool uses_minibatches(const Json& options, double rows) {
  const double batch = number_at(options, "batch_size");
  const std::string method = text_at(options, "method");
  const bool full =
      method == "nuts" || method == "hmc" || method == "mala" || method == "laplace" || method.ends_with("-full");
  return rows > 0 && batch > 0 && batch < rows && !full;
}

Json facts_of(const ReportedRun& run) {
  const Json &record = run.record, &options = part_of(record, "options"), &bound = part_of(record, "bound");
  Json facts = Json::array();
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) facts.push_back({label, text});
  };
  add("draws read from", run.label);
  add("status", run.status() == "running" ? "has not ended" : run.status());
  if (const auto& model = part_of(record, "model"); model.is_object())
    add(run.command() == "sample" || run.command() == "combine" ? "model"
        : run.command() == "factorize"                          ? "ratings"
                                                                : "documents",
        file_text(model));
  if (const auto& data = part_of(record, "data"); data.is_array())
    for (const auto& entry : data) add("data", file_text(entry));
  add("method", text_at(options, "method"));
  if (const auto part = subposterior_from(text_at(options, "subposterior")); part)
    add("part of the rows", std::to_string(part->part) + " of " + std::to_string(part->parts) +
                                ", with the prior to the power 1/" + std::to_string(part->parts) +
                                ": not the posterior given all rows");
  if (const auto& parts = part_of(record, "parts"); parts.is_array())
    add("combined from", grouped(static_cast<double>(parts.size())) + " parts of the rows");
  const double rows = number_at(bound, "rows");
  if (rows > 0)
    add("rows", grouped(rows) + (uses_minibatches(options, rows)
                                     ? ", " + grouped(number_at(options, "batch_size")) + " of them in a minibatch"
                                     : ""));
  if (number_at(bound, "coordinates") > 0) add("unconstrained parameters", grouped(number_at(bound, "coordinates")));
  if (const auto& groups = part_of(bound, "groups"); groups.is_object())
    add("groups", grouped(number_at(groups, "count")) + ", integrated out and drawn given the rest");
  if (run.read.draws.chains() > 0) add("draws", words_on_draws(run.read.draws));
  if (const std::string step = option_text(part_of(options, "step_size")); !step.empty())
    add("step size", step.size() > 60 ? "one for each parameter, in the options below" : step);
  if (part_of(record, "divergences").is_number() && number_at(record, "divergences") > 0)
    add("divergences", grouped(number_at(record, "divergences")));
  if (const auto& warmup = part_of(record, "warmup"); warmup.is_array()) {
    double most = 0;
    std::size_t drifting = 0;
    for (const auto& chain : warmup) {
      most = std::max(most, number_at(chain, "iterations"));
      drifting += part_of(chain, "settled") == false;
    }
    add("warm-up", "up to " + grouped(most) + " iterations, found by the chains" +
                       (drifting > 0 ? "; " + std::to_string(drifting) + " of them still drifted" : ""));
  } else if (number_at(options, "warmup") >= 1) {
    add("warm-up", grouped(number_at(options, "warmup")) + " iterations");
  }
  add("seed", option_text(part_of(options, "seed")));
  add("made by", text_at(record, "sgmcmc").empty() ? "" : "sgmcmc " + text_at(record, "sgmcmc"));
  return facts;
}

Json options_json(const ReportedRun& run) {
  Json list = Json::array();
  const auto command = command_by_name(run.command());
  if (!command) return list;
  const Json& options = part_of(run.record, "options");
  for (const auto* option : options_of(*command)) {
    const Json& value = part_of(options, option->key().c_str());
    if (value.is_null()) continue;
    std::string text = option_text(value);
    if (value.is_array())
      for (const auto& one : value) text += (text.empty() ? "" : ", ") + option_text(one);
    if (text.empty()) continue;
    const auto a = number_from(text), b = number_from(option->default_text);
    const bool usual =
        text == option->default_text || (a && b && *a == *b) || (option->kind == ValueKind::flag && text == "false");
    list.push_back({option->name, text, usual ? 0 : 1, option->help});
  }
  return list;
}

Json times_json(const Json& record) {
  Json times = Json::array();
  const Json& parts = part_of(record, "times");
  for (const char* phase : {"tuning", "sampling", "writing", "judging"})
    if (const Json& seconds = part_of(parts, phase); seconds.is_number())
      times.push_back({phase, rounded(seconds.get<double>(), 3)});
  if (times.empty() && part_of(record, "seconds").is_number())
    times.push_back({"sampling", rounded(number_at(record, "seconds"), 3)});
  return times;
}

Json tuning_json_of(const Json& record) {
  const Json& tuning = part_of(record, "tuning");
  if (!tuning.is_object()) return nullptr;
  Json json = {{"why", text_at(tuning, "why")}, {"mode", text_at(tuning, "mode")}};
  json["candidates"] = Json::array();
  if (const Json& candidates = part_of(tuning, "candidates"); candidates.is_array())
    for (const auto& candidate : candidates) {
      Json one = {{"method", text_at(candidate, "method")}};
      for (const char* key : {"step_size", "batch_size", "trajectory_length", "friction", "iterations", "rounds",
                              "sd_error", "mean_error", "monte_carlo", "error"})
        if (part_of(candidate, key).is_number()) one[key] = rounded(number_at(candidate, key), 4);
      one["course"] = Json::array();
      if (const Json& course = part_of(candidate, "course"); course.is_array())
        for (const auto& point : course)
          if (point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number())
            one["course"].push_back({point[0], rounded(point[1].get<double>(), 3)});
      one["diverged"] = part_of(candidate, "diverged") == true;
      one["chosen"] = part_of(candidate, "chosen") == true;
      json["candidates"].push_back(one);
    }
  return json;
}

/// Whether the statement begins with the name of a group-level parameter.
bool begins_with_one_of(const std::string& statement, const Json& names) {
  if (!names.is_array()) return false;
  std::size_t end = 0;
  while (end < statement.size() && (std::isalnum(static_cast<unsigned char>(statement[end])) || statement[end] == '_'))
    ++end;
  return std::any_of(names.begin(), names.end(), [&](const Json& name) { return name == statement.substr(0, end); });
}

/// Splits the text of the model into pieces with their roles: "prior", "likelihood", "local", "full", or none.
Json model_json(const Json& record) {
  const Json& bound = part_of(record, "bound");
  const std::string text = text_at(bound, "text");
  if (text.empty()) return nullptr;
  const Json& local = part_of(part_of(bound, "groups"), "parameters");
  struct Piece {
    std::size_t begin, end;
    std::string role;
  };
  std::vector<Piece> pieces;
  if (const Json& statements = part_of(bound, "statements"); statements.is_array())
    for (const auto& statement : statements) {
      const auto begin = static_cast<std::size_t>(std::max(0.0, number_at(statement, "begin")));
      const auto end = static_cast<std::size_t>(std::max(0.0, number_at(statement, "end")));
      if (begin >= end || end > text.size()) continue;
      std::string role = text_at(statement, "kind");
      if (role != "likelihood" && begins_with_one_of(text.substr(begin, end - begin), local)) role = "local";
      pieces.push_back({begin, end, role});
    }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  Json json = Json::array();
  std::size_t at = 0;
  for (const auto& piece : pieces) {
    if (piece.begin < at) continue;  // nested in the previous piece
    if (piece.begin > at) json.push_back({text.substr(at, piece.begin - at), ""});
    json.push_back({text.substr(piece.begin, piece.end - piece.begin), piece.role});
    at = piece.end;
  }
  if (at < text.size()) json.push_back({text.substr(at), ""});
  return json;
}

}  // namespace

std::string run_in_short(const ReportedRun& run) {
  const Json& options = part_of(run.record, "options");
  std::string text = text_at(options, "method");
  if (run.command() == "lda" || run.command() == "dpmix" || run.command() == "factorize") {
    const double topics = number_at(options, "topics"), factors = number_at(options, "factors");
    if (run.command() == "lda" && topics > 0) text += ", " + grouped(topics) + " topics";
    if (run.command() == "factorize" && factors > 0) text += ", " + grouped(factors) + " factors";
    const double iterations = number_at(options, "iterations");
    return iterations > 0 ? text + ", " + grouped(iterations) + " iterations" : text;
  }
  text += (text.empty() ? "" : ", ") + words_on_draws(run.read.draws);
  const double rows = number_at(part_of(run.record, "bound"), "rows");
  if (rows > 0 && uses_minibatches(options, rows))
    text += ", minibatches of " + grouped(number_at(options, "batch_size")) + " of " + grouped(rows) + " rows";
  else if (rows > 0)
    text += ", " + grouped(rows) + " rows";
  const double seconds = number_at(run.record, "seconds", -1);
  if (seconds >= 0) text += ", " + short_number(seconds) + " s";
  return text;
}

Json record_json(const ReportedRun& run) {
  Json json;
  json["facts"] = facts_of(run);
  if (run.record.is_null()) return json;
  json["options"] = options_json(run);
  json["times"] = times_json(run.record);
  if (Json tuning = tuning_json_of(run.record); !tuning.is_null()) json["tuning"] = std::move(tuning);
  if (const Json& repeated = part_of(run.record, "repeated"); repeated.is_object())
    json["repeated"] = {{"step_size", text_at(repeated, "step_size")},
                        {"trust", text_at(part_of(repeated, "verdict"), "trust")}};
  if (const Json& reductions = part_of(run.record, "step_reductions"); reductions.is_array()) {
    json["reductions"] = Json::array();
    for (const auto& one : reductions)
      json["reductions"].push_back({number_at(one, "chain"), number_at(one, "diverged_at"), number_at(one, "back_to"),
                                    rounded(number_at(one, "step_factor"), 3)});
  }
  if (Json model = model_json(run.record); !model.is_null()) json["model"] = std::move(model);
  if (!text_at(run.record, "folder").empty()) json["folder"] = text_at(run.record, "folder");
  constexpr std::size_t longest_command = 1000;
  if (const std::string line = command_line_of(run.record); !line.empty() && line.size() <= longest_command)
    json["command"] = line;
  if (!part_of(run.record, "left_out").is_null()) json["left_out"] = part_of(run.record, "left_out");
  if (!text_at(run.record, "folder").empty() &&
      run.command() != "combine")  // the record of a combination describes saved draws, not a repeatable call
    json["again"] = repeating_command(run.command(), run.label);
  return json;
}

}  // namespace sgmcmc
