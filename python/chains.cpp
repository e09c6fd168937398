// Chains that the caller steps, and their state.
#include "interruptible.hpp"
#include "module.hpp"
#include "posterior.hpp"
#include "service/given/given_settings.hpp"
#include "service/given/option_settings.hpp"
#include "service/given/settings.hpp"
#include "tune/candidates.hpp"

#include <sgmcmc/chain.hpp>
#include <sgmcmc/error.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <mutex>
#include <string_view>

namespace sgmcmc::python {
namespace {

/// The complete options of chains; those not given were tuned by short runs.
std::shared_ptr<SampleOptions> chain_options(const Posterior& posterior, const GivenSettings& given,
                                             std::map<std::string, std::vector<double>> initial) {
  RunSettings settings = run_settings(option_values(Command::sample, given, false));
  settings.initial = std::move(initial);
  return interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    const Model& model = posterior.model();
    const std::string method =
        posterior.stan() ? method_for(settings, posterior.stan()->bound()) : method_for(settings, posterior.rows() > 1);
    auto options = std::make_shared<SampleOptions>(sample_options(settings, method, model, posterior.precision()));
    std::string remark;
    options->interrupt = interrupt;
    if (needs_tuning(*options)) *options = tuned_options(settings, model, *options, remark).options;
    options->interrupt = nullptr;  // they outlive the flag
    options->validate(model);
    return options;
  });
}

class SteppedChain {
 public:
  SteppedChain(std::shared_ptr<const Posterior> posterior, const SampleOptions& options, std::uint64_t seed,
               std::uint32_t chain)
      : posterior_(std::move(posterior)), chain_([&] {
          const nb::gil_scoped_release release;
          SampleOptions own = options;
          own.seed = seed;
          return Chain(posterior_->model(), own, chain);
        }()) {}

  /// read(chain), when no other thread steps it.
  template <class Read>
  auto locked(Read&& read) {
    const nb::gil_scoped_release release;  // the thread that steps may need the interpreter
    const std::lock_guard<std::mutex> lock(mutex_);
    return read(chain_);
  }

  /// Runs this many steps, or as many as take a tenth of a second, and returns their number.
  std::uint64_t step(std::uint64_t count) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    for (std::uint64_t done = 0; done < count; ++done) {
      if (done > 0 && std::chrono::steady_clock::now() > end) return done;
      chain_.step();
    }
    return count;
  }

 private:
  std::shared_ptr<const Posterior> posterior_;
  std::mutex mutex_;
  Chain chain_;
};

std::vector<double> copied(std::span<const double> values) { return {values.begin(), values.end()}; }

}  // namespace

void add_chains(nb::module_& m) {
  nb::class_<SampleOptions>(m, "ChainOptions");
  m.def("chain_options", &chain_options);
  m.def("samplers", &sampler_names);
  nb::class_<SteppedChain>(m, "Chain")
      .def(nb::init<std::shared_ptr<const Posterior>, const SampleOptions&, std::uint64_t, std::uint32_t>())
      .def("step", &SteppedChain::step, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("iteration",
                   [](SteppedChain& c) { return c.locked([](Chain& chain) { return chain.iteration(); }); })
      .def_prop_ro(
          "position",
          [](SteppedChain& c) { return numpy_vector(c.locked([](Chain& chain) { return copied(chain.position()); })); })
      .def_prop_ro(
          "values",
          [](SteppedChain& c) { return numpy_vector(c.locked([](Chain& chain) { return copied(chain.values()); })); })
      .def_prop_ro("names", [](SteppedChain& c) { return c.locked([](Chain& chain) { return chain.names(); }); })
      .def_prop_ro("step_size",
                   [](SteppedChain& c) { return c.locked([](Chain& chain) { return chain.last_step_size(); }); })
      .def_prop_ro("weight", [](SteppedChain& c) { return c.locked([](Chain& chain) { return chain.draw_weight(); }); })
      .def_prop_ro("statistics",
                   [](SteppedChain& c) {
                     return numpy_vector(c.locked([](Chain& chain) { return copied(chain.statistics()); }));
                   })
      .def("save",
           [](SteppedChain& c) {
             const std::string state = c.locked([](Chain& chain) { return chain.save(); });
             return nb::bytes(state.data(), state.size());
           })
      .def("restore", [](SteppedChain& c, const nb::bytes& state) {
        const std::string_view bytes(state.c_str(), state.size());
        c.locked([&](Chain& chain) { chain.restore(bytes); });
      });
}

}  // namespace sgmcmc::python
