// Both ends of a chain that runs on another rank: messages with draws, progress, checkpoints and the outcome.
//
// Rank 0 sends the chain its checkpoint, or a message that there is none. The chain sends, in order: how much of the
// checkpoint it used (the rest belongs to the draws, which rank 0 keeps); draws, progress and states to save; and last
// its outcome or its error. A state arrives after the draws it counts, so checkpoints are the same as for a chain that
// runs on rank 0.
#include "run/remote_chain.hpp"

#include "base/checkpoint.hpp"
#include "base/state_bytes.hpp"
#include "ranks/message.hpp"

#include <sgmcmc/error.hpp>

#include <exception>
#include <new>
#include <thread>

namespace sgmcmc {
namespace {

enum class Note : char { restored, draw, progress, state, outcome, error };
enum class Kind : char { divergence, model, option, data, file, memory, other };

int channel_of(std::uint32_t chain) { return channel::first_chain + static_cast<int>(chain); }

MessageWriter note(Note kind) {
  MessageWriter writer;
  writer.put(kind);
  return writer;
}

void visit_outcome(ChainOutcome& outcome, StateVisitor& visitor) {
  outcome.moments.visit_state(visitor);
  outcome.zero_variance.visit_state(visitor);
  std::uint64_t count = outcome.reductions.size(), interrupted = outcome.interrupted, settled = outcome.warmup.settled;
  visitor.visit("reductions", count);
  outcome.reductions.resize(count);
  for (auto& reduction : outcome.reductions) {
    std::uint64_t chain = reduction.chain;
    visitor.visit("chain", chain);
    reduction.chain = static_cast<std::uint32_t>(chain);
    visitor.visit("diverged_at", reduction.diverged_at);
    visitor.visit("back_to", reduction.back_to);
    visitor.visit("factor", reduction.factor);
  }
  visitor.visit("warmup", outcome.warmup.iterations);
  visitor.visit("settled", settled);
  visitor.visit("interrupted", interrupted);
  visitor.visit("earlier_seconds", outcome.earlier_seconds);
  outcome.warmup.settled = settled != 0;
  outcome.interrupted = interrupted != 0;
}

/// Sends draws to rank 0.
class DrawsToLeader final : public DrawsSink {
 public:
  explicit DrawsToLeader(Communicator& ranks) : ranks_(ranks) {}
  void begin(std::span<const std::string>, std::size_t chains, std::size_t) override { lines_.resize(chains); }
  void write_statistics(std::size_t chain, std::span<const double> values) override {
    lines_[chain].statistics.assign(values.begin(), values.end());
  }
  void write_step_size(std::size_t chain, double step_size) override { lines_[chain].step_size = step_size; }
  void write(std::size_t chain, std::span<const double> values, double weight) override {
    Line& line = lines_[chain];
    line.message.clear();
    line.message.put(Note::draw).put(weight).put(line.step_size);
    line.message.put_all(std::span<const double>(line.statistics)).put_all(values);
    ranks_.send(0, channel_of(static_cast<std::uint32_t>(chain)), line.message.bytes());
  }

 private:
  struct Line {
    std::vector<double> statistics;
    double step_size = 0;
    MessageWriter message;
  };
  Communicator& ranks_;
  std::vector<Line> lines_;
};

class StatesToLeader final : public CheckpointPlace {
 public:
  explicit StatesToLeader(Communicator& ranks) : ranks_(ranks) {}
  std::optional<std::string> read(std::uint32_t chain) override {
    std::string message = ranks_.receive(0, channel_of(chain));
    if (message.empty()) return std::nullopt;
    return message;
  }
  void restored(std::uint32_t chain, std::uint64_t bytes_left) override {
    ranks_.send(0, channel_of(chain), note(Note::restored).put(bytes_left).bytes());
  }
  void write(std::uint32_t chain, const std::string& state) override {
    ranks_.send(0, channel_of(chain), note(Note::state).put_text(state).bytes());
  }

 private:
  Communicator& ranks_;
};

std::string error_message(Kind kind, std::string_view text) {
  return note(Note::error).put(kind).put_text(text).bytes();
}

/// Runs `body` and sends any error it throws to rank 0.
template <class Body>
bool sending_errors(Communicator& ranks, std::uint32_t chain, const Body& body) {
  const auto send = [&](Kind kind, std::string_view text) {
    ranks.send(0, channel_of(chain), error_message(kind, text));
    return false;
  };
  try {
    body();
    return true;
  } catch (const RankError&) {
    throw;
  } catch (const DivergenceError& error) {
    return send(Kind::divergence, error.what());
  } catch (const ModelError& error) {
    return send(Kind::model, error.what());
  } catch (const OptionError& error) {
    return send(Kind::option, error.what());
  } catch (const DataError& error) {
    return send(Kind::data, error.what());
  } catch (const FileError& error) {
    return send(Kind::file, error.what());
  } catch (const std::bad_alloc&) {
    return send(Kind::memory, "there is not enough memory");
  } catch (const std::exception& error) {
    return send(Kind::other, error.what());
  }
}

[[noreturn]] void rethrow(MessageReader& reader, const std::string& where) {
  const auto kind = reader.take<Kind>();
  const std::string text(reader.take_text());
  switch (kind) {
    case Kind::divergence: throw DivergenceError(text);
    case Kind::model: throw ModelError(text);
    case Kind::option: throw OptionError(text);
    case Kind::data: throw DataError(text);
    case Kind::file: throw FileError(where + ": " + text);
    case Kind::memory:
    case Kind::other: break;
  }
  throw RankError(where + ": " + text);
}

}  // namespace

int ChainRanks::rank_of(std::uint32_t chain) {
  return static_cast<int>(chain % static_cast<std::uint32_t>(communicator().size()));
}

std::string ChainJob::bytes() const {
  MessageWriter writer;
  writer.put(chains).put(checkpoint_seconds).put(progress).put<std::uint64_t>(findings.size());
  for (const auto& [name, values] : findings) writer.put_text(name).put_all(std::span<const double>(values));
  return writer.bytes();
}

ChainJob ChainJob::from(std::string_view bytes) {
  MessageReader reader(bytes);
  ChainJob job;
  job.chains = reader.take<std::uint32_t>();
  job.checkpoint_seconds = reader.take<double>();
  job.progress = reader.take<bool>();
  for (auto count = reader.take<std::uint64_t>(); count > 0; --count) {
    const std::string name(reader.take_text());
    job.findings[name] = reader.take_all<double>();
  }
  return job;
}

ChainOutcome follow_chain(ChainRanks& chain_ranks, const std::shared_ptr<RunSetup>& setup, std::uint32_t number,
                          SampleResult& result, const std::atomic<bool>& another_failed) {
  const SampleOptions& options = setup->options();
  Communicator& ranks = chain_ranks.communicator();
  const int rank = chain_ranks.rank_of(number);
  const CheckpointFolder folder(options.checkpoint);
  const auto stores = stores_of(options, result);
  std::optional<std::string> saved;
  std::exception_ptr failure;  // of this rank: a full disk, for example
  try {
    if (folder.resumes()) saved = folder.read_chain(number);
  } catch (...) {
    failure = std::current_exception();
  }
  if (folder.saves()) ranks.send(rank, channel_of(number), saved.value_or(""));
  ChainOutcome outcome;
  outcome.moments = RunningMoments(setup->names().size());
  if (setup->zero_variance() != ZeroVarianceForm::none)
    outcome.zero_variance =
        ZeroVariance(setup->zero_variance(), static_cast<std::size_t>(setup->posterior()->dimension()),
                     setup->names().size(), options.chains);
  DrawsOut out{options, number, result, outcome.moments};
  const auto hand_on = [&](Note kind, MessageReader& reader) {
    switch (kind) {
      case Note::restored: {
        const auto left = reader.take<std::uint64_t>();
        if (!saved || left > saved->size()) refuse_state("draws");
        StateReader of_draws(std::string_view(*saved).substr(saved->size() - left));
        for (DrawsSink* store : stores) store->restore_state(number, of_draws);
        of_draws.finish();
        break;
      }
      case Note::draw: {
        const auto weight = reader.take<double>(), step_size = reader.take<double>();
        const auto statistics = reader.take_all<double>();
        out.hand_on(reader.take_all<double>(), weight, step_size, statistics);
        break;
      }
      case Note::progress: {
        const auto iteration = reader.take<std::uint64_t>(), iterations = reader.take<std::uint64_t>();
        if (options.progress) options.progress({number, iteration, iterations, reader.take<double>()});
        break;
      }
      case Note::state:
        folder.write_chain(number, reader.take_text(), [&](StateVisitor& visitor) {
          for (DrawsSink* store : stores) store->save_state(number, visitor);
        });
        break;
      case Note::outcome:
      case Note::error: break;
    }
  };
  bool told_to_stop = false;
  Patience patience;
  for (;;) {
    const bool stops = failure || another_failed.load(std::memory_order_relaxed) ||
                       (options.interrupt && options.interrupt->load(std::memory_order_relaxed));
    if (stops && !told_to_stop) {
      chain_ranks.stop(rank);
      told_to_stop = true;
    }
    const auto message = ranks.poll(rank, channel_of(number));
    if (!message) {
      patience.pause();
      continue;
    }
    patience = Patience();
    MessageReader reader(*message);
    const auto kind = reader.take<Note>();
    if (failure) {
      // The messages that follow are still received: the chain could not send its last one, nor end, if they were not.
      if (kind == Note::outcome || kind == Note::error) std::rethrow_exception(failure);
      continue;
    }
    if (kind == Note::error) rethrow(reader, ranks.name_of(rank));
    if (kind == Note::outcome) {
      StateReader state(reader.take_text());
      visit_outcome(outcome, state);
      return outcome;
    }
    try {
      hand_on(kind, reader);
    } catch (...) {
      failure = std::current_exception();
    }
  }
}

void serve_chains(Communicator& ranks, const Model& model, SampleOptions options, const ChainJob& job) {
  std::vector<std::uint32_t> own;
  for (std::uint32_t chain = 0; chain < job.chains; ++chain)
    if (static_cast<int>(chain % static_cast<std::uint32_t>(ranks.size())) == ranks.rank()) own.push_back(chain);
  if (own.empty()) return;
  DrawsToLeader draws(ranks);
  StatesToLeader states(ranks);
  options.findings = job.findings;
  options.store_draws = false;
  options.sink = &draws;
  options.checkpoint = {};
  options.checkpoint.every_seconds = job.checkpoint_seconds;
  options.checkpoint.place = job.checkpoint_seconds < 0 ? nullptr : &states;
  if (job.progress)
    options.progress = [&](const Progress& at) {
      ranks.send(0, channel_of(at.chain),
                 note(Note::progress).put(at.iteration).put(at.iterations).put(at.seconds).bytes());
    };
  std::shared_ptr<RunSetup> setup;
  for (const auto chain : own)
    if (!sending_errors(ranks, chain, [&] {
          if (!setup) setup = std::make_shared<RunSetup>(model, options);
        }))
      return refuse_chains(ranks, job.chains, "the first of its chains failed");
  draws.begin({}, job.chains, 0);
  SampleResult none;
  std::atomic<bool> failed{false};
  ThreadPool pool(std::max(1, std::min<int>(setup->threads(), static_cast<int>(own.size()))));
  pool.for_each(own.size(), [&](std::size_t k, int) {
    const bool well = sending_errors(ranks, own[k], [&] {
      ChainOutcome outcome = run_chain(setup, own[k], none, failed);
      StateWriter writer;
      visit_outcome(outcome, writer);
      ranks.send(0, channel_of(own[k]), note(Note::outcome).put_text(writer.take()).bytes());
    });
    if (!well) failed.store(true, std::memory_order_relaxed);
  });
}

void refuse_chains(Communicator& ranks, std::uint32_t chains, const std::string& reason) {
  for (std::uint32_t chain = 0; chain < chains; ++chain)
    if (static_cast<int>(chain % static_cast<std::uint32_t>(ranks.size())) == ranks.rank())
      ranks.send(0, channel_of(chain), error_message(Kind::other, reason));
}

}  // namespace sgmcmc
