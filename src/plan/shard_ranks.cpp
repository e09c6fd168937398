// Both ends of sums over the rows of other ranks.
#include "plan/shard_ranks.hpp"

#include "plan/program_bytes.hpp"
#include "plan/shard_parts.hpp"
#include "plan/sharded_executor.hpp"
#include "ranks/message.hpp"
#include "ranks/shard_tree.hpp"

namespace sgmcmc {
namespace {

enum class Request : char { open, close, point, sum };

int channel_of(std::uint32_t program) { return (1 << 20) + static_cast<int>(program); }

}  // namespace

ShardRanks::ShardRanks(Communicator& ranks, std::string order, int shards)
    : ranks_(ranks), order_(std::move(order)), shards_(shards) {}

int ShardRanks::first_shard(int rank) const { return first_shard_of(rank, ranks_.size(), shards_); }

int ShardRanks::owner(int shard) const {
  int rank = 0;
  while (rank + 1 < ranks_.size() && first_shard(rank + 1) <= shard) ++rank;
  return rank;
}

void ShardRanks::send_to_all(std::string_view bytes) {
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, channel::control, bytes);
}

std::uint32_t ShardRanks::open(const Program& program, std::int64_t dimension, const ExecutorOptions& options) {
  const std::uint32_t number = programs_++;
  MessageWriter writer;
  writer.put_bytes(order_).put(Request::open).put(number).put(dimension).put(options.precision).put(options.tile_rows);
  writer.put_text(bytes_of_program(program));
  send_to_all(writer.bytes());
  return number;
}

void ShardRanks::close(std::uint32_t program) {
  send_to_all(MessageWriter().put_bytes(order_).put(Request::close).put(program).bytes());
}

void ShardRanks::set_point(std::uint32_t program, Point point, std::span<const double> values) {
  send_to_all(MessageWriter().put_bytes(order_).put(Request::point).put(program).put(point).put_all(values).bytes());
}

void ShardRanks::ask(std::uint32_t program, const ShardParts& parts) {
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    const RowBatch rows = parts.parts(first_shard(rank), first_shard(rank + 1));
    if (rows.count == 0) continue;
    MessageWriter writer;
    writer.put_bytes(order_).put(Request::sum).put(program).put(rows.uniform_weight);
    writer.put(rows.indices != nullptr).put(rows.first).put(rows.count).put(rows.weights != nullptr);
    if (rows.indices) writer.put_all(std::span<const std::uint32_t>(rows.indices, rows.count));
    if (rows.weights) writer.put_all(std::span<const double>(rows.weights, rows.count));
    ranks_.send(rank, channel::control, writer.bytes());
  }
}

std::vector<double> ShardRanks::answer(std::uint32_t program, int rank) {
  const std::string message = ranks_.receive(rank, channel_of(program));
  MessageReader reader(message);
  if (!reader.take<bool>()) throw RankError(ranks_.name_of(rank) + ": " + std::string(reader.take_text()));
  return reader.take_all<double>();
}

struct ShardServer::Bound {
  std::unique_ptr<SummingExecutor> executor;
  ShardParts parts;
  ShardTree tree;
  std::vector<double> sums;
  std::string failure;  // of the program: told when a sum is asked for
};

ShardServer::ShardServer(Communicator& ranks, Dataset data, int shards, int threads)
    : ranks_(ranks),
      data_(std::move(data)),
      shards_{data_.rows(), shards, nullptr},
      first_own_(first_shard_of(ranks.rank(), ranks.size(), shards)),
      end_own_(first_shard_of(ranks.rank() + 1, ranks.size(), shards)),
      pool_(threads) {}

ShardServer::~ShardServer() = default;

void ShardServer::serve(std::string_view request) {
  MessageReader reader(request);
  const auto kind = reader.take<Request>();
  const auto number = reader.take<std::uint32_t>();
  if (kind == Request::open) {
    const auto dimension = reader.take<std::int64_t>();
    ExecutorOptions options;
    options.precision = reader.take<Precision>();
    options.tile_rows = reader.take<int>();
    options.pool = &pool_;
    std::unique_ptr<SummingExecutor> executor;
    std::string failure;
    try {
      executor = make_whole_executor(std::make_shared<const Program>(program_of_bytes(reader.take_text())), data_,
                                     dimension, options);
    } catch (const Error& error) {
      failure = error.what();
    }
    const auto length = executor ? static_cast<std::size_t>(executor->sums_size()) : 0;
    programs_[number] = std::make_unique<Bound>(
        Bound{std::move(executor), ShardParts(shards_), ShardTree(shards_.shards, length), {}, failure});
    return;
  }
  if (kind == Request::close) {
    programs_.erase(number);
    return;
  }
  Bound& bound = *programs_.at(number);
  if (kind == Request::point) {
    const auto point = reader.take<Point>();
    if (bound.executor) bound.executor->set_point(point, reader.take_all<double>());
    return;
  }
  RowBatch rows;
  rows.uniform_weight = reader.take<double>();
  const bool has_indices = reader.take<bool>();
  rows.first = reader.take<std::uint32_t>();
  rows.count = reader.take<std::uint32_t>();
  const bool has_weights = reader.take<bool>();
  std::vector<std::uint32_t> indices;
  std::vector<double> weights;
  if (has_indices) indices = reader.take_all<std::uint32_t>();
  if (has_weights) weights = reader.take_all<double>();
  if (has_indices) rows.indices = indices.data();
  if (has_weights) rows.weights = weights.data();
  if (!bound.executor) {
    ranks_.send(0, channel_of(number), MessageWriter().put(false).put_text(bound.failure).bytes());
    return;
  }
  bound.parts.divide(rows);
  bound.executor->begin_sums();
  bound.sums.clear();
  const std::size_t length = bound.tree.length();
  std::vector<double> one(length);
  bound.tree.parts_inside(first_own_, end_own_, [&](int begin, int end) {
    const bool any = bound.tree.sum_part(begin, end, one.data(), [&](int from, int to, double* out) {
      if (bound.parts.count(from, to) == 0) return TreePart::absent;
      if (to - from > 1) return TreePart::divided;
      bound.executor->sum_rows(bound.parts.part(from), {out, length});
      return TreePart::written;
    });
    if (any) bound.sums.insert(bound.sums.end(), one.begin(), one.end());
  });
  ranks_.send(0, channel_of(number), MessageWriter().put(true).put_all(std::span<const double>(bound.sums)).bytes());
}

}  // namespace sgmcmc
