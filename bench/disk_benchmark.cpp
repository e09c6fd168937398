// Compares steps whose rows are read from a file with the same steps from memory: slices of single-precision rows,
// which have the same layout in both. With the file in the page cache: one chain, which leaves a core to the thread
// that reads ahead, and as many chains as cores. One chain with every slice read from the disk.
#include "benchmarks.hpp"
#include "problems.hpp"
#include "timing.hpp"

#include "base/memory.hpp"
#include "base/thread_pool.hpp"
#include "data/mapped_file.hpp"
#include "data/row_pages.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/sample.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc::bench {
namespace {

constexpr std::int64_t rows = 2'000'000, features = 20, batch = 500;
constexpr std::size_t x_bytes = rows * features * sizeof(float), y_bytes = rows * sizeof(std::int32_t);

/// A file of rows that is removed with the benchmark.
class RowsOnDisk {
 public:
  RowsOnDisk(std::span<const float> x, const std::vector<std::int32_t>& y) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder ? folder : "/tmp") + "/sgmcmc-bench-XXXXXX";
    descriptor_ = ::mkstemp(path_.data());
    const bool written = descriptor_ >= 0 && ::write(descriptor_, x.data(), x_bytes) == ssize_t{x_bytes} &&
                         ::write(descriptor_, y.data(), y_bytes) == ssize_t{y_bytes};
    if (!written) std::perror(path_.c_str());
    ::fsync(descriptor_);
  }
  ~RowsOnDisk() {
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  /// Evicts the file from the page cache, if the system complies.
  void forget() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }
  /// A plain read of a slice: its features, then its outcomes.
  void read(std::size_t row, std::vector<char>& to) const {
    constexpr std::size_t x_row = features * sizeof(float), y_row = sizeof(std::int32_t);
    to.resize(batch * x_row);
    if (::pread(descriptor_, to.data(), batch * x_row, static_cast<off_t>(row * x_row)) < 0 ||
        ::pread(descriptor_, to.data(), batch * y_row, static_cast<off_t>(x_bytes + row * y_row)) < 0)
      std::perror(path_.c_str());
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

Model logistic(Dataset data) {
  Model model(std::move(data));
  const Expression beta = model.parameter("beta", {features});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

/// The data in the file, of which half a memory of 64 MB may hold pages.
Model on_disk(const std::shared_ptr<const MappedFile>& file) {
  const auto* x = reinterpret_cast<const float*>(file->bytes().data());
  const auto* y = reinterpret_cast<const std::int32_t*>(file->bytes().data() + x_bytes);
  auto pages = std::make_shared<RowPages>(std::size_t{32} << 20);
  pages->add(file, file->bytes().data(), features * sizeof(float));
  pages->add(file, file->bytes().data() + x_bytes, sizeof(std::int32_t));
  return logistic(Dataset::Builder()
                      .borrow_real("x", std::span(x, rows * features), {features})
                      .borrow_integer("y", std::span(y, rows))
                      .keep(file)
                      .paged(std::move(pages))
                      .padded()
                      .build());
}

/// Chains that run at the same time, each on a thread of its own.
class Chains {
 public:
  Chains(const Model& model, const std::vector<double>& centre, int count) : pool_(count) {
    SampleOptions options;
    options.method("sgld-cv").step_size(1e-7);
    options.gradient.centre = centre;
    options.gradient.minibatch.batch_size = batch;
    options.gradient.minibatch.sampling = RowSampling::slices;
    options.threads = 1;
    for (int chain = 0; chain < count; ++chain) chains_.emplace_back(model, options, static_cast<std::uint32_t>(chain));
    step(200);
  }
  void step(int steps) {
    pool_.for_each(chains_.size(), [&](std::size_t chain, int) {
      for (int step = 0; step < steps; ++step) chains_[chain].step();
    });
  }

 private:
  ThreadPool pool_;
  std::deque<Chain> chains_;
};

constexpr int timed_steps = 500;  // at a time: many more than those whose slices can be there before the first

Timings timings_of(Chains& in_memory, Chains& from_disk, int rounds) {
  const auto block_of = [](Chains& chains) { return Contender{[&chains] { chains.step(timed_steps); }, 1}; };
  return Timings({block_of(in_memory), block_of(from_disk)}, rounds);
}

/// Compares steps with plain reads of as many rows at random places, both with nothing in the cache.
void run_cold(Results& results, const RowsOnDisk& disk, const MappedFile& file, Chains& chains) {
  constexpr int steps = 200, steps_before = 50;  // those before use slices that were read before the cache was emptied
  std::vector<double> ratios;
  std::vector<char> slice;
  std::uint64_t place = 1;
  double best_step = 1e300, best_read = 1e300;
  const auto forget = [&] {
    file.release(0, file.bytes().size());
    disk.forget();
  };
  for (int round = 0; round < 20; ++round) {
    forget();
    chains.step(steps_before);
    const double stepping = microseconds_of([&] { chains.step(steps); });
    forget();
    const double reading = microseconds_of([&] {
      for (int step = 0; step < steps; ++step) {
        place = place * 6364136223846793005u + 1442695040888963407u;
        disk.read((place >> 33) % (rows - batch), slice);
      }
    });
    ratios.push_back(stepping / reading);
    best_step = std::min(best_step, stepping / steps);
    best_read = std::min(best_read, reading / steps);
  }
  results.note("step_from_disk_cold_us", best_step);
  results.note("read_of_slice_cold_us", best_read);
  results.judge("step_from_disk_cold", median(ratios), Results::Goal::at_most, 1.15,
                "step with nothing in the cache over a plain read of its rows");
}

}  // namespace

void run_disk(Results& results, const Effort& effort) {
  const LogisticProblem problem = make_logistic_problem(rows, features);
  AlignedBuffer<float> numbers(problem.x.size());
  std::copy(problem.x.begin(), problem.x.end(), numbers.data());
  const std::span<const float> x(numbers.data(), problem.x.size());
  const RowsOnDisk disk(x, problem.y);
  const auto file = std::make_shared<const MappedFile>(disk.path());
  const Model in_memory =
      logistic(Dataset::Builder().borrow_real("x", x, {features}).borrow_integer("y", problem.y).padded().build());
  const Model streamed = on_disk(file);
  Chains one(in_memory, problem.truth, 1), one_from_disk(streamed, problem.truth, 1);
  const Timings timings = timings_of(one, one_from_disk, effort.rounds);
  results.note("step_from_memory_us", timings.best(0) / timed_steps);
  results.note("step_from_disk_warm_us", timings.best(1) / timed_steps);
  results.judge("step_from_disk_warm", timings.ratio(1, 0), Results::Goal::at_most, 1.15,
                "step from a file in the page cache over one from memory, one chain");
  {
    const int cores = hardware_threads();
    Chains all(in_memory, problem.truth, cores), all_from_disk(streamed, problem.truth, cores);
    const Timings together = timings_of(all, all_from_disk, effort.rounds);
    results.note("step_from_memory_all_cores_us", together.best(0) / timed_steps);
    results.note("step_from_disk_warm_all_cores_us", together.best(1) / timed_steps);
    results.note("step_from_disk_warm_all_cores", together.ratio(1, 0));
  }
  run_cold(results, disk, *file, one_from_disk);  // last: it empties the cache
}

}  // namespace sgmcmc::bench
