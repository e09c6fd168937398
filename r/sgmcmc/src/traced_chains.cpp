// Models from graphs that R recorded, and their chains step by step.
#include "routines.hpp"

#include "minibatch/minibatcher.hpp"
#include "model/log_posterior.hpp"
#include "traced/traced_model.hpp"

#include <sgmcmc/chain.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/mode.hpp>

#include <R_ext/Utils.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

namespace sgmcmc::r {
namespace {

constexpr const char* traced_tag = "model";
constexpr const char* chain_tag = "chain";
constexpr const char* search_tag = "search";

class TracedPosterior {
 public:
  explicit TracedPosterior(Model model)
      : density_(std::move(model)), executor_(density_.executor(ProgramKind::value_and_gradient, {})) {}

  const Model& model() const { return density_.model(); }
  bool has_rows() const { return static_cast<bool>(model().row_log_likelihood()); }

  /// Log prior plus weight times the log likelihood of the batch, and the gradient.
  std::vector<double> value_and_gradient(const std::vector<double>& theta, RowBatch batch, double weight) {
    if (static_cast<std::int64_t>(theta.size()) != model().dimension())
      throw ShapeError("the point has " + std::to_string(theta.size()) + " coordinates; the model has " +
                       std::to_string(model().dimension()));
    std::vector<double> both(theta.size() + 1);
    executor_->set_point(Point::current, theta);
    batch.uniform_weight = weight;
    executor_->run(has_rows() ? batch : RowBatch{}, both);
    return both;
  }

 private:
  LogPosterior density_;
  std::unique_ptr<Executor> executor_;
};

traced::TracedGraph graph_of(SEXP nodes, double batch_rows) {
  traced::TracedGraph graph;
  graph.batch_rows = static_cast<std::int64_t>(batch_rows);
  for (R_xlen_t k = 0; k < Rf_xlength(nodes); ++k) {
    const SEXP one = VECTOR_ELT(nodes, k);
    traced::TracedNode node;
    node.op = text(element(one, "op"));
    for (const std::int64_t input : whole_numbers(element(one, "inputs")))
      node.inputs.push_back(static_cast<std::size_t>(input));
    node.name = text(element(one, "name"));
    node.integers = whole_numbers(element(one, "integers"));
    node.values = numbers(element(one, "values"));
    node.shape = Shape(whole_numbers(element(one, "shape")));
    node.call = text(element(one, "call"));
    graph.add(std::move(node));
  }
  return graph;
}

std::map<std::string, std::vector<double>> by_name(const Model& model, const std::vector<double>& theta) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& info : model.parameters())
    values[info.name] = {theta.begin() + info.offset, theta.begin() + info.offset + info.unconstrained_size};
  return values;
}

SampleOptions chain_options(const TracedPosterior& posterior, const std::string& method,
                            const std::vector<double>& steps, const std::vector<double>& friction, double length) {
  SampleOptions options;
  const auto mean = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double one : x) sum += one / static_cast<double>(x.size());
    return sum;
  };
  const bool one_friction =
      friction.empty() || std::all_of(friction.begin(), friction.end(), [&](double x) { return x == friction[0]; });
  const bool one_step = std::all_of(steps.begin(), steps.end(), [&](double x) { return x == steps.at(0); });
  const StepSize step_size = one_step ? StepSize(steps.at(0)) : StepSize(steps);
  if (method == "sgld") {
    options.sampler = SgldOptions{.step_size = step_size};
  } else if (method == "sghmc") {
    if (!(length >= 1 && length < 1e9)) throw OptionError("L must be at least 1");
    options.sampler = SghmcOptions{.step_size = step_size,
                                   .friction = one_friction ? friction.at(0) : mean(friction),
                                   .friction_each = one_friction ? std::vector<double>() : friction,
                                   .trajectory_length = static_cast<std::uint32_t>(length)};
  } else {
    options.sampler = SgnhtOptions{.step_size = step_size,
                                   .diffusion = one_friction ? friction.at(0) : mean(friction),
                                   .diffusion_each = one_friction ? std::vector<double>() : friction};
  }
  if (!posterior.has_rows()) options.gradient.estimator = Estimator::full;
  options.watch_divergence = false;
  options.zero_variance = ZeroVarianceForm::none;
  options.recoveries = 0;
  options.threads = 1;
  return options;
}

struct TracedChain {
  std::shared_ptr<TracedPosterior> posterior;
  Chain chain;
  std::uint64_t seed = 1;
  std::vector<double> draws;  // one iteration after another
  std::size_t kept = 0;
};

/// The search for the mode, on a thread of its own.
struct Search {
  std::atomic<bool> interrupt{false};
  std::future<ModeResult> result;
  ~Search() {
    interrupt = true;
    if (result.valid()) result.wait();
  }
};

}  // namespace

SEXP traced_model(SEXP nodes, SEXP batch_rows, SEXP shapes, SEXP dataset, SEXP likelihood, SEXP prior) {
  return guarded([&] {
    const traced::TracedGraph graph = graph_of(nodes, number(batch_rows));
    std::vector<traced::TracedParameter> parameters;
    const auto names = texts(Rf_getAttrib(shapes, R_NamesSymbol));
    for (std::size_t k = 0; k < names.size(); ++k)
      parameters.push_back({names[k], Shape(whole_numbers(VECTOR_ELT(shapes, static_cast<R_xlen_t>(k))))});
    std::vector<traced::TracedColumn> columns;
    const auto column_names = texts(Rf_getAttrib(dataset, R_NamesSymbol));
    std::int64_t rows = 0;
    for (std::size_t k = 0; k < column_names.size(); ++k) {
      const SEXP one = VECTOR_ELT(dataset, static_cast<R_xlen_t>(k));
      auto dims = whole_numbers(Rf_getAttrib(one, R_DimSymbol));
      rows = dims.at(0);
      dims.erase(dims.begin());
      columns.push_back({column_names[k], {REAL(one), static_cast<std::size_t>(Rf_xlength(one))}, Shape(dims), true});
    }
    const auto of_likelihood = static_cast<std::size_t>(number(likelihood));
    const std::optional<std::size_t> of_prior =
        number(prior) < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(number(prior)));
    const auto build = [&] {
      try {
        return traced::traced_model(graph, parameters, columns, of_likelihood, of_prior);
      } catch (const ModelError&) {
        if (graph.batch_rows != rows) throw;
        try {
          return traced::whole_traced_model(graph, parameters, columns, of_likelihood, of_prior);
        } catch (const ModelError&) {
        }
        throw;
      }
    };
    traced::TracedModel made = build();
    ListBuilder list;
    list.add("warnings", made.warnings);
    list.add_value("model", owned_pointer(std::make_shared<TracedPosterior>(std::move(made.model)), traced_tag));
    return list.list();
  });
}

SEXP traced_value(SEXP model, SEXP theta, SEXP rows, SEXP weight) {
  return guarded([&] {
    std::vector<std::uint32_t> indices;
    for (const std::int64_t row : whole_numbers(rows)) indices.push_back(static_cast<std::uint32_t>(row));
    RowBatch batch;
    batch.count = static_cast<std::uint32_t>(indices.size());
    batch.indices = indices.data();
    return to_r(pointed<TracedPosterior>(model, traced_tag)->value_and_gradient(numbers(theta), batch, number(weight)));
  });
}

SEXP optimise_start(SEXP model, SEXP start, SEXP step_size, SEXP iterations, SEXP batch_rows, SEXP seed) {
  return guarded([&] {
    auto search = std::make_shared<Search>();
    const auto posterior = pointed<TracedPosterior>(model, traced_tag);
    SgdOptions options;
    options.step_size = number(step_size);
    options.iterations = static_cast<std::uint64_t>(number(iterations));
    options.averaged_share = 0;
    GradientOptions gradient;
    gradient.minibatch.batch_size = static_cast<std::int64_t>(number(batch_rows));
    if (!posterior->has_rows()) gradient.estimator = Estimator::full;
    search->result =
        std::async(std::launch::async, [own = search.get(), posterior, options, gradient, from = numbers(start),
                                        own_seed = static_cast<std::uint64_t>(number(seed))] {
          return find_mode(posterior->model(), options, gradient, from, own_seed, &own->interrupt);
        });
    return owned_pointer(std::move(search), search_tag);
  });
}

SEXP optimise_wait(SEXP search, SEXP seconds) {
  R_CheckUserInterrupt();  // may jump: nothing of C++ lives here yet
  return guarded([&] {
    const auto& own = pointed<Search>(search, search_tag);
    return to_r(!own->result.valid() ||
                own->result.wait_for(std::chrono::duration<double>(number(seconds))) == std::future_status::ready);
  });
}

SEXP optimise_abort(SEXP search) {
  return guarded([&] {
    pointed<Search>(search, search_tag)->interrupt = true;
    return R_NilValue;
  });
}

SEXP optimise_result(SEXP search) {
  return guarded([&] {
    const ModeResult found = pointed<Search>(search, search_tag)->result.get();
    if (found.report.reason == StopReason::gradient_not_finite)
      throw DivergenceError("The search for the mode diverged, try decreasing optStepsize");
    return to_r(found.theta);
  });
}

SEXP chain_start(SEXP model, SEXP method, SEXP steps, SEXP friction, SEXP length, SEXP seed, SEXP batch_rows,
                 SEXP start, SEXP centre) {
  return guarded([&] {
    const auto posterior = pointed<TracedPosterior>(model, traced_tag);
    SampleOptions options = chain_options(*posterior, text(method), numbers(steps), numbers(friction), number(length));
    options.seed = static_cast<std::uint64_t>(number(seed));
    options.gradient.minibatch.batch_size = static_cast<std::int64_t>(number(batch_rows));
    options.initial = by_name(posterior->model(), numbers(start));
    if (const auto at = numbers(centre); !at.empty() && posterior->has_rows()) {
      options.gradient.estimator = Estimator::control_variate;
      options.gradient.centre = at;
    }
    if (!posterior->has_rows()) options.gradient.minibatch.batch_size = 0;
    return owned_pointer(
        std::make_shared<TracedChain>(TracedChain{posterior, Chain(posterior->model(), options), options.seed, {}, 0}),
        chain_tag);
  });
}

SEXP chain_keep(SEXP chain, SEXP iterations) {
  return guarded([&] {
    auto& own = *pointed<TracedChain>(chain, chain_tag);
    own.kept = 0;
    own.draws.clear();
    own.draws.reserve(static_cast<std::size_t>(number(iterations)) * own.chain.position().size());
    return R_NilValue;
  });
}

SEXP chain_run(SEXP chain, SEXP count, SEXP keep) {
  R_CheckUserInterrupt();  // may jump: nothing of C++ lives here yet
  return guarded([&] {
    auto& own = *pointed<TracedChain>(chain, chain_tag);
    const auto wanted = static_cast<std::uint64_t>(number(count));
    const bool kept = number(keep) != 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    std::uint64_t done = 0;
    while (done < wanted && (done % 16 != 0 || done == 0 || std::chrono::steady_clock::now() < end)) {
      own.chain.step();
      ++done;
      if (!kept) continue;
      const auto position = own.chain.position();
      own.draws.insert(own.draws.end(), position.begin(), position.end());
      ++own.kept;
    }
    return to_r(static_cast<double>(done));
  });
}

SEXP chain_position(SEXP chain) {
  return guarded([&] {
    const auto position = pointed<TracedChain>(chain, chain_tag)->chain.position();
    return to_r(std::vector<double>(position.begin(), position.end()));
  });
}

SEXP chain_estimate(SEXP chain, SEXP batch_rows, SEXP weight) {
  return guarded([&] {
    auto& own = *pointed<TracedChain>(chain, chain_tag);
    const auto position = own.chain.position();
    MinibatchOptions options;
    options.batch_size = static_cast<std::int64_t>(number(batch_rows));
    // A chain number of its own: none of the chain's minibatches are used again.
    RowBatch batch;
    std::optional<Minibatcher> rows;
    if (own.posterior->has_rows())
      batch = rows.emplace(own.posterior->model().rows(), options, own.seed, 0xffffu).batch(own.chain.iteration());
    return to_r(own.posterior->value_and_gradient({position.begin(), position.end()}, batch, number(weight)).front());
  });
}

SEXP chain_warning(SEXP chain) {
  return guarded([&] { return to_r(pointed<TracedChain>(chain, chain_tag)->chain.warning()); });
}

SEXP chain_draws(SEXP chain, SEXP shapes) {
  return guarded([&] {
    auto& own = *pointed<TracedChain>(chain, chain_tag);
    const std::size_t dimension = own.chain.position().size(), count = own.kept;
    const auto names = texts(Rf_getAttrib(shapes, R_NamesSymbol));
    Protected list(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(names.size())));
    std::size_t offset = 0;
    for (std::size_t k = 0; k < names.size(); ++k) {
      auto dims = whole_numbers(VECTOR_ELT(shapes, static_cast<R_xlen_t>(k)));
      if (dims.empty()) dims = {1};
      const auto size = static_cast<std::size_t>(Shape(dims).size());
      Protected array(Rf_allocVector(REALSXP, static_cast<R_xlen_t>(count * size)));
      for (std::size_t flat = 0; flat < size; ++flat) {  // in R's order
        std::size_t rest = flat, at = 0;
        for (const std::int64_t dim : dims) {
          at = at * static_cast<std::size_t>(dim) + rest % static_cast<std::size_t>(dim);
          rest /= static_cast<std::size_t>(dim);
        }
        double* to = REAL(array) + flat * count;
        const double* from = own.draws.data() + offset + at;
        for (std::size_t draw = 0; draw < count; ++draw) to[draw] = from[draw * dimension];
      }
      Protected dim(Rf_allocVector(INTSXP, static_cast<R_xlen_t>(dims.size() + 1)));
      INTEGER(dim)[0] = static_cast<int>(count);
      for (std::size_t axis = 0; axis < dims.size(); ++axis) INTEGER(dim)[axis + 1] = static_cast<int>(dims[axis]);
      Rf_setAttrib(array, R_DimSymbol, dim);
      SET_VECTOR_ELT(list, static_cast<R_xlen_t>(k), array);
      offset += size;
    }
    Protected kept_names(to_r(names));
    Rf_setAttrib(list, R_NamesSymbol, kept_names);
    own.draws = {};
    return static_cast<SEXP>(list);
  });
}

}  // namespace sgmcmc::r
