// Models in the Stan language: binding them to R's data, sampling on a separate thread, and returning the results.
#include "routines.hpp"
#include "stan_run.hpp"

#include "model/log_posterior.hpp"
#include "plan/row_values.hpp"
#include "report/bias_table.hpp"
#include "report/summary_table.hpp"
#include "service/diagnosis.hpp"
#include "service/given/given_settings.hpp"
#include "service/given/option_settings.hpp"
#include "service/run_handle.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/run.hpp>
#include <sgmcmc/stan.hpp>

#include <R_ext/Utils.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

namespace sgmcmc::r {
namespace {

constexpr const char* model_tag = "Stan model";

Shape shape_of(SEXP value) { return Shape(whole_numbers(element(value, "dim"))); }

/// Variables as R prepared them: list(real = numbers by row, dim = ) or list(integer = , dim = ), by name.
StanData stan_data(SEXP variables, SEXP files) {
  StanData data;
  const auto names = texts(Rf_getAttrib(variables, R_NamesSymbol));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const SEXP one = VECTOR_ELT(variables, static_cast<R_xlen_t>(k));
    const SEXP whole = element(one, "integer"), real = element(one, "real"), sparse = element(one, "sparse");
    if (sparse != R_NilValue) {
      const auto row_start = whole_numbers(element(one, "row_start"));
      const SEXP column = element(one, "column");
      data.sparse(names[k], shape_of(one)[1], row_start,
                  {INTEGER(column), static_cast<std::size_t>(Rf_xlength(column))},
                  {REAL(sparse), static_cast<std::size_t>(Rf_xlength(sparse))});
    } else if (whole != R_NilValue)
      data.integer(names[k], {INTEGER(whole), static_cast<std::size_t>(Rf_xlength(whole))}, shape_of(one));
    else
      data.real(names[k], {REAL(real), static_cast<std::size_t>(Rf_xlength(real))}, shape_of(one));
  }
  for (const auto& file : texts(files)) data.file(file);
  return data;
}

std::size_t common_draws(const MemoryDraws& draws) {
  std::size_t count = draws.chains() == 0 ? 0 : draws.draws(0);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) count = std::min(count, draws.draws(chain));
  return count;
}

/// An array of draws, chains and variables, as in R's package posterior.
SEXP draws_array(const MemoryDraws& draws) {
  const std::size_t count = common_draws(draws), columns = draws.names().size(), chains = draws.chains();
  Protected array(Rf_allocVector(REALSXP, static_cast<R_xlen_t>(count * columns * chains)));
  double* to = REAL(array);
  for (std::size_t chain = 0; chain < chains; ++chain)
    for (std::size_t draw = 0; draw < count; ++draw) {
      const auto one = draws.draw(chain, draw);
      for (std::size_t column = 0; column < columns; ++column)
        to[draw + count * (chain + chains * column)] = one[column];
    }
  Protected dim(Rf_allocVector(INTSXP, 3));
  INTEGER(dim)[0] = static_cast<int>(count);
  INTEGER(dim)[1] = static_cast<int>(chains);
  INTEGER(dim)[2] = static_cast<int>(columns);
  Rf_setAttrib(array, R_DimSymbol, dim);
  return array;
}

std::vector<double> all_weights(const MemoryDraws& draws) {
  std::vector<double> all;
  if (draws.equal_weights()) return all;
  const std::size_t count = common_draws(draws);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
    const auto weights = draws.weights(chain).first(count);
    all.insert(all.end(), weights.begin(), weights.end());
  }
  return all;
}

/// Names, and a vector for each column of the summary.
SEXP summary_of(const RunResult& run) {
  std::vector<std::string> names;
  std::vector<double> columns[9];
  const auto add = [&](const std::string& name, const QuantitySummary& s) {
    names.push_back(name);
    const double values[] = {s.mean, s.mcse_mean, s.standard_deviation, s.q5,  s.q50,
                             s.q95,  s.ess_bulk,  s.ess_tail,           s.rhat};
    for (std::size_t k = 0; k < 9; ++k) columns[k].push_back(values[k]);
  };
  for (const auto& row : summary_rows(run.draws)) add(row.name, row.summary);
  for (const auto& [name, summary] : run.summarised) add(name, summary);
  ListBuilder list;
  static constexpr const char* keys[] = {"mean", "mcse_mean", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat"};
  list.add("variable", names);
  for (std::size_t k = 0; k < 9; ++k) list.add(keys[k], columns[k]);
  return list.list();
}

/// The warnings that are remarks, or with remarks = false those that are not.
SEXP warnings_of(const std::vector<RunWarning>& warnings, bool remarks) {
  std::vector<std::string> all;
  for (const auto& warning : warnings)
    if (warning.remark == remarks)
      all.push_back(warning.detail.empty() ? warning.text : warning.text + "\n" + warning.detail);
  return to_r(all);
}

}  // namespace

SEXP stan_model(SEXP source, SEXP is_code, SEXP include) {
  return guarded([&] {
    const auto folders = texts(include);
    auto model = number(is_code) != 0 ? StanModel::from_text(text(source), "model.stan", folders)
                                      : StanModel::from_file(text(source), folders);
    ListBuilder list;
    list.add("data_names", model.data_names()).add("warnings", model.warnings());
    list.add_value("model", owned_pointer(std::make_shared<StanModel>(std::move(model)), model_tag));
    return list.list();
  });
}

SEXP stan_start(SEXP model, SEXP variables, SEXP files, SEXP rows, SEXP precision, SEXP settings, SEXP initial) {
  return guarded([&] {
    const OptionValues values = option_values(Command::sample, named_texts(settings), false);
    RunSettings chosen = run_settings(values);
    chosen.writer = [](std::string_view setting, std::string_view value) {
      return value.empty() ? std::string(setting) : std::string(setting) + " = " + std::string(value);
    };
    const auto names = texts(Rf_getAttrib(initial, R_NamesSymbol));
    for (std::size_t k = 0; k < names.size(); ++k)
      chosen.initial[names[k]] = numbers(VECTOR_ELT(initial, static_cast<R_xlen_t>(k)));
    auto run = std::make_shared<StanRun>();
    StanBindOptions options;
    options.rows = text(rows);
    const std::string kind = text(precision);
    if (kind != "double" && kind != "float") throw OptionError("precision: '" + kind + "' is not double or float");
    options.precision = kind == "float" ? Precision::float32 : Precision::float64;
    options.keep_outcomes = true;
    options.interrupt = &run->binding_interrupted;
    auto data = std::make_shared<StanData>(stan_data(variables, files));
    StanRun* const own = run.get();  // which outlives the thread
    run->handle = std::make_unique<RunHandle>(
        static_cast<std::size_t>(chosen.chains),
        [own, data, options, chosen, stan = *pointed<StanModel>(model, model_tag)](const RunHooks& hooks) {
          own->posterior = stan.bind(*data, options);
          return sample(*own->posterior, chosen, hooks);
        });
    return owned_pointer(std::move(run), run_tag);
  });
}

SEXP run_wait(SEXP run, SEXP seconds) {
  R_CheckUserInterrupt();  // may jump: nothing of C++ lives here yet. R itself looks once in a thousand evaluations
  return guarded([&] {
    const auto& own = pointed<StanRun>(run, run_tag);
    const bool ended = own->handle->wait(number(seconds));
    const auto [phase, share] = own->handle->state();
    ListBuilder list;
    return list.add("ended", ended).add("phase", phase).add("share", share).list();
  });
}

SEXP run_abort(SEXP run) {
  return guarded([&] {
    const auto& own = pointed<StanRun>(run, run_tag);
    own->binding_interrupted = true;
    own->handle->abort();
    return R_NilValue;
  });
}

SEXP run_result(SEXP run) {
  return guarded([&] {
    const auto& own = pointed<StanRun>(run, run_tag);
    const auto result = own->handle->result();
    own->binding_interrupted = false;
    const RunResult& r = *result;
    ListBuilder list;
    list.add("method", r.method)
        .add("why", r.tuning ? r.tuning->why : std::string())
        .add("seconds", r.chains.seconds)
        .add("interrupted", r.interrupted)
        .add("trust", r.verdict ? std::string(trust_words(r.verdict->trust)) : std::string())
        .add("sentences", r.verdict ? r.verdict->sentences : std::vector<std::string>())
        .add("names", r.draws.names())
        .add("statistic_names", r.sampler.names())
        .add("weights", all_weights(r.draws))
        .add("model_warnings", own->posterior->warnings())
        .add("rows", own->posterior->row_axis().empty() ? 0.0 : static_cast<double>(own->posterior->rows()))
        .add_value("warnings", warnings_of(r.warnings, false))
        .add_value("remarks", warnings_of(r.warnings, true))
        .add_value("draws", draws_array(r.draws))
        .add_value("statistics", draws_array(r.sampler))
        .add_value("summary", summary_of(r))
        .add("table", common_draws(r.draws) > 0 ? r.table() : std::string());
    return list.list();
  });
}

SEXP run_diagnose(SEXP run, SEXP settings) {
  return guarded([&] {
    const auto& own = pointed<StanRun>(run, run_tag);
    const auto result = own->handle->result();
    const BiasOptions options = bias_options(option_values(Command::diagnose, named_texts(settings), false));
    const auto report = diagnose_bias(own->posterior->model(), result->options, result->draws, options);
    ListBuilder list;
    return list.add("trust", std::string(trust_words(report.verdict.trust)))
        .add("sentences", report.verdict.sentences)
        .add("table", bias_table(report))
        .list();
  });
}

SEXP run_log_lik(SEXP run, SEXP every) {
  R_CheckUserInterrupt();  // may jump: nothing of C++ lives here yet
  return guarded([&] {
    const auto& own = pointed<StanRun>(run, run_tag);
    const auto result = own->handle->result();
    const Model& model = own->posterior->model();
    if (!model.row_log_likelihood())
      throw ModelError("the log likelihood has no rows: " + own->posterior->why_not_minibatched());
    const MemoryDraws& draws = result->draws;
    const auto names = model.constrained_names();
    if (draws.names().size() < names.size() || !std::equal(names.begin(), names.end(), draws.names().begin()))
      throw DataError("the draws of some parameters were not kept; sample without `keep`");
    const auto step = static_cast<std::size_t>(number(every));
    const std::size_t count = (common_draws(draws) + step - 1) / step, chains = draws.chains();
    const auto rows = static_cast<std::size_t>(model.rows());
    const LogPosterior density(model);
    const auto executor = density.executor(ProgramKind::row_log_likelihoods, {});
    Protected array(Rf_allocVector(REALSXP, static_cast<R_xlen_t>(count * chains * rows)));
    std::vector<double> of_rows(rows);
    RowValues consumer(of_rows);
    for (std::size_t chain = 0; chain < chains; ++chain)
      for (std::size_t k = 0; k < count; ++k) {
        const auto draw = draws.draw(chain, k * step);
        std::map<std::string, std::vector<double>> values;
        std::size_t at = 0;
        for (const auto& info : model.parameters()) {
          const auto size = static_cast<std::size_t>(info.shape.size());
          values[info.name] = {draw.begin() + static_cast<std::ptrdiff_t>(at),
                               draw.begin() + static_cast<std::ptrdiff_t>(at + size)};
          at += size;
        }
        executor->set_point(Point::current, model.unconstrain(values));
        executor->run_rows(density.all_rows(), consumer);
        for (std::size_t row = 0; row < rows; ++row) REAL(array)[k + count * (chain + chains * row)] = of_rows[row];
      }
    Protected dim(Rf_allocVector(INTSXP, 3));
    INTEGER(dim)[0] = static_cast<int>(count);
    INTEGER(dim)[1] = static_cast<int>(chains);
    INTEGER(dim)[2] = static_cast<int>(rows);
    Rf_setAttrib(array, R_DimSymbol, dim);
    return static_cast<SEXP>(array);
  });
}

SEXP settings_table() {
  return guarded([&] {
    std::vector<std::string> names, defaults, help;
    for (const auto* option : settings_of_sample()) {
      names.push_back(option->key());
      defaults.push_back(option->default_text);
      help.push_back(option->help);
    }
    ListBuilder list;
    return list.add("setting", names).add("default", defaults).add("meaning", help).list();
  });
}

}  // namespace sgmcmc::r
