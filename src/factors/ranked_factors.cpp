// Orders of rank 0 for a factorisation: every function that all ranks call has one.
#include "factors/ranked_factors.hpp"

#include "base/levels.hpp"
#include "base/state_bytes.hpp"
#include "ranks/message.hpp"
#include "ranks/row_shards.hpp"

#include <type_traits>

namespace sgmcmc {

namespace {

enum class FactorOrder : char { iterate, state, collect, restore, end };

std::string state_bytes(FactorState& state) {
  StateWriter writer;
  state.visit_state(writer);
  return writer.take();
}

void put_options(MessageWriter& writer, const FactorOptions& options) {
  writer.put(options.method).put(options.factors).put(options.biases).put(options.prior_precision);
  writer.put(options.noise_precision).put(options.blocks).put(options.shards).put(options.saga);
  writer.put(options.control_variate).put(options.step_size).put(options.friction).put(options.iterations);
  writer.put(options.warmup).put(options.seed).put(options.chain).put(options.threads).put(options.observations);
  writer.put(options.alpha);
}

FactorOptions take_options(MessageReader& reader) {
  FactorOptions options;
  const auto take = [&](auto& field) { field = reader.take<std::remove_reference_t<decltype(field)>>(); };
  take(options.method), take(options.factors), take(options.biases), take(options.prior_precision);
  take(options.noise_precision), take(options.blocks), take(options.shards), take(options.saga);
  take(options.control_variate), take(options.step_size), take(options.friction), take(options.iterations);
  take(options.warmup), take(options.seed), take(options.chain), take(options.threads), take(options.observations);
  take(options.alpha);
  return options;
}

std::vector<Rating> ratings_in(std::span<const Rating> ratings, RowRange rows, std::uint32_t Rating::*row) {
  std::vector<Rating> found;
  for (const Rating& rating : ratings)
    if (rows.contains(rating.*row)) found.push_back(rating);
  return found;
}

std::uint64_t latent_numbers(std::span<const Rating> ratings, Observations observations) {
  std::uint64_t sum = 0;
  for (const Rating& rating : ratings) sum += latent_numbers(rating.value, observations);
  return sum;
}

RowRange rows_of(int rank, int ranks, const ShardStarts& starts) {
  const int shards = static_cast<int>(starts.size()) - 1;
  return {starts[static_cast<std::size_t>(first_shard_of(rank, ranks, shards))],
          starts[static_cast<std::size_t>(first_shard_of(rank + 1, ranks, shards))]};
}

class LeadingChain final : public FactorChain {
 public:
  LeadingChain(Communicator& ranks, FactorShare share, const FactorOptions& options, ThreadPool& pool)
      : ranks_(ranks), chain_(make_factor_chain(std::move(share), options, pool)) {}
  ~LeadingChain() override {
    try {
      order(FactorOrder::end);
    } catch (const Error&) {  // a rank that cannot be reached has ended, or will be missed elsewhere
    }
  }
  LeadingChain(const LeadingChain&) = delete;
  LeadingChain& operator=(const LeadingChain&) = delete;

  bool iterate(std::uint64_t iteration) override {
    if (!started_ && iteration > 0) {  // the run is resumed
      StateWriter writer;
      chain_->visit_state(writer);
      order(FactorOrder::restore, MessageWriter().put_text(writer.take()).bytes());
    }
    started_ = true;
    order(FactorOrder::iterate, MessageWriter().put(iteration).bytes());
    return chain_->iterate(iteration);
  }
  const FactorState& state() override {
    order(FactorOrder::state);
    return chain_->state();
  }
  void visit_state(StateVisitor& visitor) override {
    if (started_) {  // saved; before the first iteration it is restored
      order(FactorOrder::collect);
      chain_->collect_state();
    }
    chain_->visit_state(visitor);
  }
  double limited_share() const override { return chain_->limited_share(); }

 private:
  void order(FactorOrder what, std::string_view bytes = "") {
    const std::string message = MessageWriter().put(what).put_bytes(bytes).bytes();
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, channel::factor_orders, message);
  }

  Communicator& ranks_;
  std::unique_ptr<FactorChain> chain_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<FactorChain> lead_factor_chain(Communicator& ranks, FactorShare own, FactorSize size,
                                               const FactorOptions& options, ThreadPool& pool) {
  const std::span<const Rating> ratings = own.of_users;
  MessageWriter common;
  common.put(processor_level());
  put_options(common, options);
  common.put(size).put(own.cut.ratings).put(own.cut.most_ratings);
  common.put_all(std::span<const std::uint32_t>(own.cut.users)).put_all(std::span<const std::uint32_t>(own.cut.items));
  common.put_all(std::span<const std::uint64_t>(own.cut.ratings_of_block));
  for (const FeatureRows* features : {&own.user_features, &own.item_features})
    common.put(features->columns).put_all(std::span<const double>(features->numbers));
  common.put(own.initial.offset).put(own.initial.scale).put(own.initial.least_parameter);
  common.put(own.initial.noise_unit).put_text(state_bytes(own.initial));
  // Ranks from the last to the first: what is left are the numbers of those before.
  const std::uint64_t numbers = latent_numbers(ratings, options.observations);
  std::uint64_t before_users = numbers, before_items = numbers;
  for (int rank = ranks.size() - 1; rank >= 0; --rank) {
    auto of_users = ratings_in(ratings, rows_of(rank, ranks.size(), own.cut.users), &Rating::user);
    auto of_items = ratings_in(ratings, rows_of(rank, ranks.size(), own.cut.items), &Rating::item);
    before_users -= latent_numbers(of_users, options.observations);
    before_items -= latent_numbers(of_items, options.observations);
    if (rank > 0) {
      MessageWriter message;
      message.put_bytes(common.bytes());
      message.put(before_users).put(before_items);
      message.put_all(std::span<const Rating>(of_users)).put_all(std::span<const Rating>(of_items));
      ranks.send(rank, channel::factor_orders, message.bytes());
    } else {
      own.user_ratings = std::move(of_users);
      own.item_ratings = std::move(of_items);
    }
  }
  own.of_users = own.user_ratings;
  own.of_items = own.item_ratings;
  own.ranks = FactorRanks(&ranks);
  return std::make_unique<LeadingChain>(ranks, std::move(own), options, pool);
}

void serve_factor_chain(Communicator& ranks) {
  std::string message = ranks.receive(0, channel::factor_orders);
  MessageReader reader(message);
  if (const auto level = reader.take<Level>(); level != processor_level())
    throw RankError("its processor would compute other draws than that of rank 0, with instructions of level " +
                    std::string(level_name(processor_level())) + " in place of " + level_name(level) +
                    "; set the environment variable SGMCMC_LEVEL to what all processors have");
  const FactorOptions options = take_options(reader);
  const auto size = reader.take<FactorSize>();
  FactorShare share{.of_users = {},
                    .of_items = {},
                    .cut = {},
                    .initial = FactorState(size.users, size.items, {options.factors, options.biases}),
                    .ranks = FactorRanks(&ranks),
                    .user_ratings = {},
                    .item_ratings = {}};
  share.cut.ratings = reader.take<std::uint64_t>();
  share.cut.most_ratings = reader.take<std::uint64_t>();
  share.cut.users = reader.take_all<std::uint32_t>();
  share.cut.items = reader.take_all<std::uint32_t>();
  share.cut.ratings_of_block = reader.take_all<std::uint64_t>();
  for (const bool of_users : {true, false}) {
    FeatureRows& features = of_users ? share.user_features : share.item_features;
    features.columns = reader.take<std::size_t>();
    features.numbers = reader.take_all<double>();
    (of_users ? share.initial.users : share.initial.items).use_features(features.columns);
  }
  share.initial.offset = reader.take<double>();
  share.initial.scale = reader.take<double>();
  share.initial.least_parameter = reader.take<double>();
  share.initial.noise_unit = reader.take<double>();
  StateReader state(reader.take_text());
  share.initial.visit_state(state);
  share.initial.observations = options.observations;
  share.initial.alpha = options.alpha;
  share.before_users = reader.take<std::uint64_t>();
  share.before_items = reader.take<std::uint64_t>();
  share.user_ratings = reader.take_all<Rating>();
  share.item_ratings = reader.take_all<Rating>();
  share.of_users = share.user_ratings;
  share.of_items = share.item_ratings;
  message = {};

  ThreadPool pool(options.threads);
  const auto chain = make_factor_chain(std::move(share), options, pool);
  for (;;) {
    const std::string next = ranks.receive(0, channel::factor_orders);
    MessageReader order(next);
    switch (order.take<FactorOrder>()) {
      case FactorOrder::iterate: chain->iterate(order.take<std::uint64_t>()); break;
      case FactorOrder::state: chain->state(); break;
      case FactorOrder::collect: chain->collect_state(); break;
      case FactorOrder::restore: {
        StateReader saved(order.take_text());
        chain->visit_state(saved);
        break;
      }
      case FactorOrder::end: return;
    }
  }
}

}  // namespace sgmcmc
