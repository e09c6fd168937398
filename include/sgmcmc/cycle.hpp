// Cycles of kernels: Gibbs, Metropolis and gradient updates of named blocks, one after the other. For models in which
// some parameters need other updates than gradients: counts, assignments, scales with closed-form conditionals.
//
//   Cycle cycle;                                                  // y ~ Binomial(N, theta), both unknown
//   cycle.block("N", 30.0).block("theta", 0.5);
//   cycle.gibbs({"theta"}, [&](Blocks& state, KernelRandom& random) {
//     state.set("theta", random.beta(1 + sum, 1 + rows * state.number("N") - sum));
//   });
//   cycle.metropolis({"N"}, log_density, [](Blocks& state, KernelRandom& random) {
//     state.set("N", state.number("N") + (random.uniform() < 0.5 ? -1 : 1));
//     return 0.0; // symmetric proposal
//   });
//   const CycleResult result = cycle.run({.iterations = 10'000, .chains = 4});
//   result.mean("N");                                             // all that a SampleResult has
#pragma once

#include <sgmcmc/checkpoint.hpp>
#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/gradient.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/state.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sgmcmc {

/// The state of one chain: a vector of numbers for every block. A kernel may read all blocks and write those it was
/// declared to move.
class Blocks {
 public:
  /// Throws ModelError if there is no such block, as do all other members.
  std::span<const double> operator[](std::string_view name) const;
  double number(std::string_view name) const;  ///< of a block of one number
  /// Throws ModelError if the kernel does not move that block.
  std::span<double> write(std::string_view name);
  void set(std::string_view name, double value);  ///< of a block of one number

 private:
  friend class CycleChain;
  struct Block {
    std::string name;
    std::size_t begin = 0, size = 0;
    bool is_writable = false;
  };
  const Block& find(std::string_view name) const;

  std::vector<Block> blocks_;
  std::vector<double> values_;
  const std::string* kernel_ = nullptr;  // currently running, for messages
};

/// The random numbers of one kernel in one iteration. Each depends on (seed, chain, iteration), the position of the
/// kernel in its cycle, and the number of values drawn before.
class KernelRandom {
 public:
  KernelRandom(std::uint64_t seed, std::uint32_t chain, std::uint64_t iteration, std::uint32_t kernel)
      : seed_(seed), chain_(chain), iteration_(iteration), kernel_(kernel) {}

  double uniform();                          ///< in (0, 1)
  double normal();                           ///< standard
  void normals(std::span<double> out);       ///< standard
  double exponential();                      ///< mean 1
  double gamma(double shape);                ///< rate 1
  double log_gamma(double shape);            ///< log of a gamma variate: for small shapes, whose values underflow
  double beta(double a, double b);           ///< in [0, 1]
  double poisson(double mean);               ///< an integer
  std::uint32_t below(std::uint32_t bound);  ///< an integer from 0 to bound - 1
  /// An index with probability proportional to the weights, which are non-negative and not all 0.
  std::size_t choose(std::span<const double> weights);

 private:
  enum Kind : std::uint16_t { uniforms, normals_, exponentials, gammas, poissons, integers, kinds };
  StreamKey key(Kind kind) const;

  std::uint64_t seed_;
  std::uint32_t chain_;
  std::uint64_t iteration_;
  std::uint32_t kernel_;
  std::array<std::uint64_t, kinds> taken_{};
};

/// The outcome of a step of a kernel.
struct BlockMove {
  bool accepted = true;
  double weight = 0;  ///< of the draw; 0: not set. The first kernel that sets it decides; 1 if none does
};
using BlockStep = std::function<BlockMove(Blocks& state, KernelRandom& random, std::uint64_t iteration)>;

/// A kernel of one chain: its step, and the state it keeps between steps besides the blocks, for checkpoints.
///
///   BlockKernel kernel = [moves](Blocks& state, KernelRandom& random, std::uint64_t) { ++*moves; ... };
///   kernel.visit_state = [moves](StateVisitor& visitor) { visitor.visit("moves", *moves); };
struct BlockKernel {
  template <class Step>
  requires(!std::same_as<std::remove_cvref_t<Step>, BlockKernel> && std::constructible_from<BlockStep, Step>)
      BlockKernel(Step&& run)
      : step(std::forward<Step>(run)) {}  // NOLINT: implicit, because a step alone is a kernel

  BlockStep step;
  std::function<void(StateVisitor& visitor)> visit_state;  ///< empty: the kernel has no state
};

/// What a kernel is given when a chain starts.
struct ChainStart {
  std::uint64_t seed = 0;  ///< differs between kernels
  std::uint32_t chain = 0;
  std::uint64_t warmup = 0;
};

/// Returns the log density of the blocks that the kernel moves given all others, up to a constant, and writes its
/// gradient with respect to these blocks, concatenated. Only exact samplers use the value.
using ConditionalGradient = std::function<double(const Blocks& state, std::span<double> gradient)>;

struct CycleOptions {
  std::uint64_t iterations = 10'000;  ///< after warm-up
  std::uint64_t warmup = 1000;        ///< iterations discarded at the start
  std::uint64_t thin = 1;             ///< every thin-th iteration gives a draw
  std::uint32_t chains = 1;
  int threads = 0;  ///< concurrent chains; 0: all processors. Does not affect results
  std::uint64_t seed = 1;
  DrawsSink* sink = nullptr;     ///< draws also go here; must outlive the run
  CheckpointOptions checkpoint;  ///< resuming requires the same cycle; iterations may be increased

  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const Progress&)> progress{};  ///< called about every progress_seconds by each chain
  double progress_seconds = 0.2;

  void validate() const;  ///< throws OptionError naming the option
};

struct KernelReport {
  std::string name;  ///< "metropolis N"
  std::uint64_t steps = 0, accepted = 0;
  double acceptance() const { return steps > 0 ? static_cast<double>(accepted) / static_cast<double>(steps) : 0.0; }
};

/// Draws, moments, names and table() as from sample(); summaries and diagnostics take the draws.
struct CycleResult : SampleResult {
  std::vector<KernelReport> kernels;  ///< over all iterations of all chains, in the order of the cycle
};

/// Blocks and kernels. Chains run concurrently, so functions given here are called from several threads and must modify
/// only their arguments. Every method throws ModelError for unknown or conflicting names.
class Cycle {
 public:
  /// Declares a block with its initial values. Its values are recorded at every draw.
  Cycle& block(const std::string& name, std::vector<double> initial);
  Cycle& block(const std::string& name, double initial) { return block(name, std::vector<double>{initial}); }
  /// Sets a function that draws the initial values of a chain; it may write all blocks.
  Cycle& start(std::function<void(Blocks& state, KernelRandom& random)> draw);
  /// Also records a function of the state.
  Cycle& record(const std::string& name, std::function<double(const Blocks& state)> value);

  /// Draws the blocks from their conditional distribution given all others, or by any update that leaves it invariant.
  Cycle& gibbs(std::vector<std::string> blocks, std::function<void(Blocks& state, KernelRandom& random)> draw);
  /// `propose` writes a proposal and returns log q(old | new) - log q(new | old), 0 for symmetric proposals.
  /// `log_density` is that of all blocks; it may omit terms that do not depend on the blocks moved. Proposals of
  /// density zero are rejected.
  Cycle& metropolis(std::vector<std::string> blocks, std::function<double(const Blocks& state)> log_density,
                    std::function<double(Blocks& state, KernelRandom& random)> propose);
  /// Metropolis with normal proposals of this standard deviation around each number of a block.
  Cycle& random_walk(const std::string& block, double scale, std::function<double(const Blocks& state)> log_density);
  /// One iteration of a sampler on unconstrained blocks: sgld, sghmc, sgnht, psgld, or the exact samplers nuts, hmc,
  /// mala.
  Cycle& gradient(std::vector<std::string> blocks, SamplerOptions sampler, ConditionalGradient conditional);
  /// The same for the conditional distribution of the blocks in a model: every parameter of the model is a block of
  /// that name and size; those not moved stay fixed. Blocks hold constrained values; the sampler moves the
  /// unconstrained ones. Gradients may come from minibatches of the model's rows (full, minibatch, saga or svrg).
  Cycle& gradient(std::vector<std::string> blocks, SamplerOptions sampler, const Model& model,
                  const GradientOptions& options = {});
  /// Any other kernel. `make` is called once per chain, so that each has its own state.
  Cycle& kernel(const std::string& name, std::vector<std::string> blocks,
                std::function<BlockKernel(const ChainStart& start)> make);

  /// Throws DivergenceError naming chain, iteration, kernel and block if a value becomes non-finite.
  CycleResult run(const CycleOptions& options = {}) const;

 private:
  friend class CycleChain;
  struct Block {
    std::string name;
    std::vector<double> initial;
  };
  struct Recorded {
    std::string name;
    std::function<double(const Blocks&)> value;
  };
  struct Kernel {
    std::string name;
    std::vector<std::size_t> blocks;
    std::function<BlockKernel(const ChainStart&)> make;
  };
  std::vector<std::size_t> indices_of(const std::string& kernel, const std::vector<std::string>& blocks) const;
  std::size_t size_of(const std::vector<std::string>& blocks) const;

  std::vector<Block> blocks_;
  std::vector<Recorded> recorded_;
  std::vector<Kernel> kernels_;
  std::function<void(Blocks&, KernelRandom&)> start_;
};

}  // namespace sgmcmc
