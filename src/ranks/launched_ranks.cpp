// Messages through MPI, one call at a time, and the monitoring of other ranks.
#include "ranks/launched_ranks.hpp"

#include "ranks/mpi_library.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace sgmcmc {
namespace {

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

#if defined(SGMCMC_MPI_LIBRARY)

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string own_name() {
  char host[HOST_NAME_MAX + 1] = "";
  ::gethostname(host, sizeof host - 1);
  return "process " + std::to_string(::getpid()) + " on " + host;
}

class MpiRank final : public Communicator {
 public:
  explicit MpiRank(const LaunchOptions& options) : mpi_(load_mpi_library()), options_(options) {
    int provided = 0;
    // Nothing here blocks inside MPI. A yield at every poll would wait for all other work on a busy machine.
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
    // MPI is called from several threads, but never concurrently.
    if (mpi_.init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED)
      throw RankError("MPI cannot be used from several threads on this machine; install OpenMPI 4 with threads");
    mpi_.comm_rank(mpi_.world, &rank_);
    mpi_.comm_size(mpi_.world, &size_);
    names_.resize(static_cast<std::size_t>(size_));
    heard_.assign(static_cast<std::size_t>(size_), Clock::now());
    names_[static_cast<std::size_t>(rank_)] = own_name();
    watch_ = std::thread([this] { watch(); });
    for (const int other : watched()) send(other, channel::hello, own_name());
    for (const int other : watched()) names_[static_cast<std::size_t>(other)] = receive(other, channel::hello);
  }

  ~MpiRank() override {
    // No rank stops monitoring before all have reached this point, which takes little time, because the run is over.
    try {
      leave();
    } catch (const Error&) {
    }
    {
      const std::lock_guard lock(watch_mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    watch_.join();
    // OpenMPI waits for all ranks once more here.
    const auto over = std::make_shared<std::atomic<bool>>(false);
    std::thread([over] {
      std::this_thread::sleep_for(std::chrono::seconds(8));
      if (!over->load()) std::_Exit(1);
    }).detach();
    mpi_.finalize();
    over->store(true);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name_of(int rank) const override {
    const std::string& known = names_[static_cast<std::size_t>(rank)];
    return "rank " + std::to_string(rank) + (known.empty() ? "" : " (" + known + ")");
  }

  void send(int to, int channel, std::string_view bytes) override {
    // An MPI message has at most 2^31 - 1 bytes: sends the size first, then the parts.
    const std::uint64_t size = bytes.size();
    if (size < part_bytes) {
      send_part(to, channel, bytes.data(), size);
      return;
    }
    for (std::uint64_t at = 0; at <= size; at += part_bytes)
      send_part(to, channel, bytes.data() + at, std::min<std::uint64_t>(part_bytes, size - at));
  }

  std::optional<std::string> poll(int from, int channel) override {
    auto part = poll_part(from, channel);
    if (!part || part->size() < part_bytes) return part;
    std::string whole = std::move(*part);
    for (;;) {  // receives the other parts; one that is not full is the last
      Patience patience;
      while (!(part = poll_part(from, channel))) patience.pause();
      whole += *part;
      if (part->size() < part_bytes) return whole;
    }
  }

  std::vector<std::string> exchange(int channel, std::span<const Posting> messages,
                                    std::span<const int> from) override {
    std::vector<MPI_Request> open;
    for (const Posting& message : messages)
      for (std::uint64_t at = 0; at == 0 || at <= message.bytes.size(); at += part_bytes) {
        const std::uint64_t size = std::min<std::uint64_t>(part_bytes, message.bytes.size() - at);
        const std::lock_guard lock(mutex_);
        open.emplace_back();
        start_send(message.to, channel, message.bytes.data() + at, size, open.back());
        if (size < part_bytes) break;
      }
    std::vector<std::optional<std::string>> received(from.size());
    std::size_t missing = from.size();
    for (Patience patience; missing > 0 || !open.empty(); patience.pause()) {
      for (std::size_t i = 0; i < from.size(); ++i)
        if (!received[i] && (received[i] = poll(from[i], channel))) --missing;
      const std::lock_guard lock(mutex_);
      std::erase_if(open, [&](MPI_Request& request) { return is_done(request); });
    }
    std::vector<std::string> result;
    for (auto& each : received) result.push_back(std::move(*each));
    return result;
  }

  [[noreturn]] void abort(int status) override {
    std::thread limit([status] {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      std::_Exit(status);  // mpirun cannot be reached
    });
    limit.detach();
    const std::unique_lock lock(mutex_, std::chrono::seconds(1));  // with it or without
    mpi_.abort(mpi_.world, status);
    std::_Exit(status);
  }

 private:
  static constexpr std::uint64_t part_bytes = std::uint64_t{1} << 28;

  /// The ranks with which this rank exchanges heartbeats: rank 0 with all others.
  std::vector<int> watched() const {
    std::vector<int> others;
    if (rank_ > 0) return {0};
    for (int other = 1; other < size_; ++other) others.push_back(other);
    return others;
  }

  bool is_done(MPI_Request& request) {
    int done = 0;
    if (mpi_.test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) throw RankError("MPI_Test failed");
    return done != 0;
  }

  void start_send(int to, int channel, const char* bytes, std::uint64_t size, MPI_Request& request) {
    if (mpi_.isend(bytes, static_cast<int>(size), mpi_.byte, to, channel, mpi_.world, &request) != MPI_SUCCESS)
      throw RankError("MPI cannot send to " + name_of(to));
  }

  void send_part(int to, int channel, const char* bytes, std::uint64_t size) {
    MPI_Request request{};
    bool done = false;
    {
      const std::lock_guard lock(mutex_);
      start_send(to, channel, bytes, size, request);
      done = is_done(request);
    }
    Patience patience;
    while (!done) {
      patience.pause();
      const std::lock_guard lock(mutex_);
      done = is_done(request);
    }
  }

  std::optional<std::string> poll_part(int from, int channel) {
    std::string bytes;
    MPI_Request request{};
    bool done = false;
    {
      const std::lock_guard lock(mutex_);
      int there = 0, count = 0;
      MPI_Message message{};
      MPI_Status status{};
      if (mpi_.improbe(from, channel, mpi_.world, &there, &message, &status) != MPI_SUCCESS)
        throw RankError("MPI cannot receive from " + name_of(from));
      if (!there) return std::nullopt;
      mpi_.get_count(&status, mpi_.byte, &count);
      bytes.resize(static_cast<std::size_t>(count));
      if (mpi_.imrecv(bytes.data(), count, mpi_.byte, &message, &request) != MPI_SUCCESS)
        throw RankError("MPI cannot receive from " + name_of(from));
      done = is_done(request);
    }
    Patience patience;
    while (!done) {
      patience.pause();
      const std::lock_guard lock(mutex_);
      done = is_done(request);
    }
    return bytes;
  }

  void watch() {
    Clock::time_point last_sent{};
    std::vector<MPI_Request> open;
    std::unique_lock lock(watch_mutex_);
    while (!closing_) {
      if (seconds_since(last_sent) >= 0.5) {
        last_sent = Clock::now();
        const std::lock_guard one(mutex_);
        std::erase_if(open, [&](MPI_Request& request) { return is_done(request); });
        for (const int other : watched()) {
          open.emplace_back();
          mpi_.isend(nullptr, 0, mpi_.byte, other, channel::heartbeat, mpi_.world, &open.back());
        }
      }
      for (const int other : watched()) {
        while (poll_part(other, channel::heartbeat)) heard_[static_cast<std::size_t>(other)] = Clock::now();
        // Rank 0 reports first, then the others one by one, so that only one message is printed.
        const double limit = options_.silence_limit + (rank_ > 0 ? 0.5 + 0.1 * rank_ : 0.0);
        const double silent = seconds_since(heard_[static_cast<std::size_t>(other)]);
        if (silent < limit) continue;
        if (options_.lost)
          options_.lost(name_of(other) + " has not answered for " + std::to_string(static_cast<int>(silent)) +
                        " seconds: it hangs, or its machine cannot be reached");
        abort(1);
      }
      wake_.wait_for(lock, std::chrono::milliseconds(250));
    }
    const std::lock_guard one(mutex_);
    std::erase_if(open, [&](MPI_Request& request) { return is_done(request); });
  }

  void leave() {
    for (const int other : watched()) send(other, channel::hello, "");
    for (const int other : watched()) receive(other, channel::hello);
  }

  MpiLibrary mpi_;
  LaunchOptions options_;
  int rank_ = 0, size_ = 1;
  std::vector<std::string> names_;
  std::timed_mutex mutex_;  // of calls of MPI
  std::vector<Clock::time_point> heard_;
  std::mutex watch_mutex_;
  std::condition_variable wake_;
  bool closing_ = false;
  std::thread watch_;
};

#endif

}  // namespace

bool started_as_ranks() {
  // OpenMPI's mpirun sets the number of ranks; srun with PMIx sets the number of each rank, and Slurm how many there
  // are.
  if (number_in_environment("OMPI_COMM_WORLD_SIZE") > 1) return true;
  return std::getenv("PMIX_RANK") && !std::getenv("OMPI_COMM_WORLD_SIZE") && number_in_environment("SLURM_NTASKS") > 1;
}

std::unique_ptr<Communicator> open_launched_ranks([[maybe_unused]] const LaunchOptions& options) {
  if (!started_as_ranks()) return std::make_unique<SingleRank>();
#if defined(SGMCMC_MPI_LIBRARY)
  return std::make_unique<MpiRank>(options);
#else
  throw RankError(
      "the program was started by mpirun, but was built without MPI; install it (Debian: libopenmpi-dev), then build "
      "the program again");
#endif
}

}  // namespace sgmcmc
