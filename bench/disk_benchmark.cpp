// Compares steps whose rows come from a mapped file with the same steps from memory: slices of single-precision rows,
// with pages released continually. Once with the file in the page cache, once with every slice read from the disk.
#include "benchmarks.hpp"
#include "problems.hpp"
#include "timing.hpp"

#include "data/mapped_file.hpp"
#include "data/row_pages.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/sample.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::bench {
namespace {

constexpr std::int64_t rows = 2'000'000, features = 20, batch = 500;
constexpr std::size_t x_bytes = rows * features * sizeof(float), y_bytes = rows * sizeof(std::int32_t);

/// A file of rows that is removed with the benchmark.
class RowsOnDisk {
 public:
  RowsOnDisk(const std::vector<float>& x, const std::vector<std::int32_t>& y) {
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

}  // namespace

void run_disk(Results& results, const Effort& effort) {
  const LogisticProblem problem = make_logistic_problem(rows, features);
  const std::vector<float> x(problem.x.begin(), problem.x.end());
  const RowsOnDisk disk(x, problem.y);
  const auto file = std::make_shared<const MappedFile>(disk.path());
  const auto* mapped_x = reinterpret_cast<const float*>(file->bytes().data());
  const auto* mapped_y = reinterpret_cast<const std::int32_t*>(file->bytes().data() + x_bytes);
  auto pages = std::make_shared<RowPages>(std::size_t{32} << 20);
  pages->add(file, file->bytes().data(), features * sizeof(float));
  pages->add(file, file->bytes().data() + x_bytes, sizeof(std::int32_t));
  const Model in_memory =
      logistic(Dataset::Builder().borrow_real("x", x, {features}).borrow_integer("y", problem.y).build());
  const Model on_disk = logistic(Dataset::Builder()
                                     .borrow_real("x", std::span(mapped_x, x.size()), {features})
                                     .borrow_integer("y", std::span(mapped_y, problem.y.size()))
                                     .keep(file)
                                     .paged(pages)
                                     .build());
  std::deque<Chain> chains;
  std::vector<Contender> contenders;
  for (const Model* model : {&in_memory, &on_disk}) {
    SampleOptions options;
    options.method("sgld-cv").step_size(1e-7);
    options.gradient.centre = problem.truth;
    options.gradient.minibatch.batch_size = batch;
    options.gradient.minibatch.sampling = RowSampling::slices;
    options.threads = 1;
    Chain& chain = chains.emplace_back(*model, options, 0);
    for (int step = 0; step < 200; ++step) chain.step();
    contenders.push_back({[&chain] { chain.step(); }, 100});
  }
  const Timings timings(contenders, effort.rounds);
  results.note("step_from_memory_us", timings.best(0));
  results.note("step_from_disk_warm_us", timings.best(1));
  results.judge("step_from_disk_warm", timings.ratio(1, 0), Results::Goal::at_most, 1.15,
                "step from a mapped file in the cache, pages let go, over one from memory");

  // With a cold cache: compares steps with plain reads of as many rows at random places. The first step, whose rows
  // were not requested ahead, is not timed.
  std::vector<double> ratios;
  std::vector<char> slice;
  std::uint64_t place = 1;
  double best_step = 1e300, best_read = 1e300;
  for (int round = 0; round < 40; ++round) {
    constexpr int steps = 50;
    file->release(0, file->bytes().size());
    disk.forget();
    chains.back().step();
    const double stepping = microseconds_of([&] {
      for (int step = 0; step < steps; ++step) chains.back().step();
    });
    file->release(0, file->bytes().size());
    disk.forget();
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

}  // namespace sgmcmc::bench
