// The orders that rank 0 sends, and how other ranks carry them out.
#include "service/ranks/rank_service.hpp"

#include "base/checkpoint.hpp"
#include "base/levels.hpp"
#include "chains/setup.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"
#include "factors/ranked_factors.hpp"
#include "plan/shard_ranks.hpp"
#include "ranks/message.hpp"
#include "ranks/row_shards.hpp"
#include "report/json_text.hpp"
#include "service/given/option_settings.hpp"
#include "settings/config.hpp"
#include "settings/run_record.hpp"
#include "topics/document_ranks.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/stan.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

enum class Order : char { model, chains, parts, rows, sums, factors, documents, stop, end };

/// The log posterior and its gradient at the start of the first chain. Equal on two ranks if they have the same model
/// and data, and their arithmetic agrees bit for bit.
std::vector<double> mark_of(const RunSetup& setup) {
  const auto& posterior = *setup.posterior();
  const auto theta = setup.starting_point(0);
  std::vector<double> values(theta.size() + 1);
  ThreadPool pool(setup.threads());
  const auto executor = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
  executor->set_point(Point::current, theta);
  executor->run(posterior.all_rows(), values);
  return values;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

/// A checksum of the numbers in every step-th row, to check that two ranks have the same data.
std::uint64_t checksum_of_rows(const Dataset& data, std::int64_t first, std::int64_t last, std::int64_t step) {
  std::uint64_t sum = 0;
  const auto add = [&](const void* from, std::size_t size) {
    sum = sum * 0x9e3779b97f4a7c15 + checksum({static_cast<const char*>(from), size});
  };
  for (const ColumnView& column : data.store().columns()) {
    add(column.name.data(), column.name.size());
    if (column.type == StorageType::sparse) {
      const auto begin = column.row_start[first], end = column.row_start[last];
      add(column.sparse_column + begin, static_cast<std::size_t>(end - begin) * sizeof *column.sparse_column);
      add(column.sparse_value + begin, static_cast<std::size_t>(end - begin) * sizeof *column.sparse_value);
      continue;
    }
    const auto width = static_cast<std::size_t>(column.row_shape.size());
    if (is_integer(column.type)) {  // ranks with other rows may keep them in other widths
      std::vector<std::int32_t> integers(width);
      for (std::int64_t row = first; row < last; row += step) {
        for (std::size_t k = 0; k < width; ++k)
          integers[k] = column.integer(static_cast<std::uint32_t>(row), static_cast<std::int64_t>(k));
        add(integers.data(), width * sizeof(std::int32_t));
      }
      continue;
    }
    const std::size_t size = storage_bytes(column.type) * width;
    for (std::int64_t row = first; row < last; row += step) add(column.row(static_cast<std::uint32_t>(row)), size);
  }
  return sum;
}

/// Facts that must agree between two ranks before their sums can be added: about the rows of the first. Of rows in
/// mapped files rank 0 reads only some, so that it need not read all files in full. `row_files`: hashes of the row
/// files, which are known without reading the rows; each rank compares its own rows with them.
std::string facts_of(const Dataset& data, const std::string& row_files, int rank, int ranks, int shards) {
  constexpr std::int64_t some = 16;
  const RowShare share{rank, ranks, shards};
  const std::int64_t first = share.first_row(data.rows()), last = share.end_row(data.rows());
  const bool in_files = data.store().borrowed_bytes() > 0;
  const std::int64_t step = in_files ? std::max<std::int64_t>(1, (last - first) / some) : 1;
  const std::uint64_t sum = checksum_of_rows(data, first, last, step);
  if (const RowPages* pages = data.store().pages()) pages->release();
  return "version " SGMCMC_VERSION ", kernels " + std::string(level_name(processor_level())) + ", " +
         std::to_string(data.rows()) + " rows, checksum " + std::to_string(sum) +
         (row_files.empty() ? "" : ", row file " + row_files);
}

/// State of a rank between orders.
struct Served {
  OptionValues values{Command::sample};  // of the call
  std::optional<StanPosterior> posterior;
  std::exception_ptr failure;  // in reading the model or its data
  int threads = 0;
  std::unique_ptr<ShardServer> rows;
};

OptionValues values_of(const std::string& record) {
  OptionValues values = read_config_text(Command::sample, "the options of rank 0", record);
  values.notes.clear();
  return values;
}

StanPosterior bound_posterior(const OptionValues& values, const Communicator& ranks) {
  if (values.operands.empty()) throw UsageError("rank 0 named no model");
  const StanModel model = StanModel::from_file(values.operands.front(), values.texts("include"));
  StanBindOptions options = bind_options(values);
  options.keep_outcomes = values.given("subposterior");  // for the files of parts, which this rank writes
  options.share = share_of_rows(values, ranks.rank(), ranks.size());
  StanPosterior posterior = model.bind(data_of(values), options);
  if (!values.flag("shard-rows")) shard_rows(values, posterior, nullptr);
  return posterior;
}

void read_model(const std::string& record, const Communicator& ranks, Served& served) {
  try {
    served.values = values_of(record);
    served.rows.reset();
    served.posterior = bound_posterior(served.values, ranks);
    served.threads = served.values.threads();
    served.failure = nullptr;
  } catch (...) {
    served.failure = std::current_exception();  // reported when chains are requested; rank 0 likely fails the same way
  }
}

void run_chains(Communicator& ranks, MessageReader& order, Served& served, const std::atomic<bool>& stopped) {
  const std::string record(order.take_text());
  const ChainJob job = ChainJob::from(order.take_text());
  const auto mark = order.take_all<double>();
  const std::string here = ranks.name_of(ranks.rank());
  try {
    if (served.failure) std::rethrow_exception(served.failure);
    const OptionValues values = values_of(record);
    if (!served.posterior) served.posterior = bound_posterior(values, ranks);
    const StanPosterior& posterior = *served.posterior;
    SampleOptions options = sample_options(values, method_for(values, posterior.bound()), posterior.bound());
    options.interrupt = &stopped;
    if (!mark.empty()) {
      SampleOptions with_findings = options;
      with_findings.findings = job.findings;
      if (!same_bits(mark, mark_of(RunSetup(posterior.model(), with_findings))))
        throw RankError(
            "it computes another log posterior than rank 0 at the same point: its files differ, or its processor needs "
            "other instructions. Copy model and data files to every machine, and set the environment variable "
            "SGMCMC_LEVEL to what all processors have");
    }
    serve_chains(ranks, posterior.model(), std::move(options), job);
  } catch (const std::exception& error) {
    refuse_chains(ranks, job.chains, error.what());
  }
}

/// Samples some parts, which write their own folders, and replies when all have ended: with the error, if any, and the
/// warnings.
void run_parts(Communicator& ranks, MessageReader& order, Served& served, const std::atomic<bool>& stopped,
               const ServeParts& sample_parts) {
  const auto numbers = order.take_all<std::uint64_t>();
  const std::string out(order.take_text()), place(order.take_text());
  const bool overwrite = order.take<bool>();
  std::string failure;
  std::vector<std::string> warnings;
  try {
    if (served.failure) std::rethrow_exception(served.failure);
    OptionValues call = served.values;  // a record leaves out where a run writes
    call.writer = [](std::string_view option) { return "--" + std::string(option); };  // for messages
    call.set(*find_option(Command::sample, "out"), out, place);
    call.set(*find_option(Command::sample, "overwrite"), overwrite ? "true" : "false", call.written("overwrite"));
    sample_parts(call, served.posterior.value(), numbers, stopped,
                 [&](const std::string& text) { warnings.push_back(text); });
  } catch (const std::exception& error) {
    failure = *error.what() ? error.what() : "a part failed";
  }
  MessageWriter reply;
  reply.put_text(failure).put<std::uint64_t>(warnings.size());
  for (const auto& warning : warnings) reply.put_text(warning);
  ranks.send(0, channel::reply, reply.bytes());
}

/// Prepares the shards of this rank, and replies with facts about its rows, or with the error.
void serve_rows(Communicator& ranks, MessageReader& order, Served& served) {
  const auto shards = order.take<int>();
  MessageWriter reply;
  try {
    if (served.failure) std::rethrow_exception(served.failure);
    const Dataset data = served.posterior.value().model().data();
    served.rows = std::make_unique<ShardServer>(ranks, data, shards, served.threads);
    reply.put(true).put_text(facts_of(data, row_file_hashes(served.values), ranks.rank(), ranks.size(), shards));
  } catch (const std::exception& error) {
    reply.put(false).put_text(error.what());
  }
  ranks.send(0, channel::reply, reply.bytes());
}

/// The number of shards given by the options; 0: rows are not divided.
int shards_of(const OptionValues& values) {
  constexpr int usual = 64, most = 4096;
  const auto asked = values.count("shards");
  if (asked > most)
    throw UsageError(values.where("shards") + ": at most " + std::to_string(most) + " shards are expected");
  return asked > 0 ? static_cast<int>(asked) : values.flag("shard-rows") ? usual : 0;
}

}  // namespace

std::shared_ptr<const RowShare> share_of_rows(const OptionValues& values, int rank, int ranks) {
  if (ranks < 2 || !values.flag("shard-rows")) return nullptr;
  return std::make_shared<const RowShare>(RowShare{rank, ranks, shards_of(values)});
}

int shard_rows(const OptionValues& values, const StanPosterior& posterior, RankLeader* ranks) {
  const bool shared = values.flag("shard-rows");
  const Dataset& data = posterior.model().data();
  const int shards = shards_of(values);
  if (shards == 0) return 0;
  if (data.rows() == 0 || posterior.row_axis().empty())
    throw UsageError(values.where(shared ? "shard-rows" : "shards") +
                     ": the likelihood of this model is not a sum over rows, so there is nothing to cut");
  auto cut = std::make_shared<RowShards>(RowShards{data.rows(), shards, nullptr});
  if (shared && ranks) {
    if (shards < ranks->communicator().size())
      throw UsageError(values.where("shards") + ": " + std::to_string(shards) + " shards cannot be shared among " +
                       std::to_string(ranks->communicator().size()) + " ranks; ask for at least as many, such as 64");
    cut->others = ranks->share_rows(data, row_file_hashes(values), shards);
  }
  data.store().set_shards(std::move(cut));
  return shards;
}

std::shared_ptr<ShardRanks> RankLeader::share_rows(const Dataset& data, const std::string& row_files, int shards) {
  for (int rank = 1; rank < ranks_.size(); ++rank)
    ranks_.send(rank, channel::control, MessageWriter().put(Order::rows).put(shards).bytes());
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    const std::string message = ranks_.receive(rank, channel::reply);
    MessageReader reply(message);
    const bool well = reply.take<bool>();
    const std::string text(reply.take_text());
    if (!well) throw RankError(ranks_.name_of(rank) + ": " + text);
    const std::string here = facts_of(data, row_files, rank, ranks_.size(), shards);
    if (text != here)
      throw RankError(ranks_.name_of(rank) + " has other data or another program (" + text + ") than rank 0 (" + here +
                      "): copy the model, the data and the program to every machine, and set the environment variable "
                      "SGMCMC_LEVEL to what all processors have");
  }
  return std::make_shared<ShardRanks>(ranks_, MessageWriter().put(Order::sums).bytes(), shards);
}

Json call_record(const OptionValues& values, const std::string& model_path) {
  Json record;
  record["sgmcmc"] = SGMCMC_VERSION;
  record["command"] = command_name(values.command());
  std::error_code ignored;
  record["folder"] = std::filesystem::current_path(ignored).string();
  record["model"] = {{"file", model_path}};
  record["options"] = given_options(values);
  return record;
}

void RankLeader::prepare(const OptionValues& values, const std::string& model_path) {
  MessageWriter writer;
  writer.put(Order::model).put_text(json_text(call_record(values, model_path)));
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, channel::control, writer.bytes());
}

void RankLeader::set_record(const Json& record) {
  Json told;
  for (const char* key : {"sgmcmc", "command", "folder", "options"}) told[key] = record.at(key);
  told["model"] = {{"file", record.at("model").at("file")}};
  record_ = json_text(told);
}

void RankLeader::start(const RunSetup& setup, std::uint32_t chains) {
  const SampleOptions& options = setup.options();
  ChainJob job;
  job.findings = options.findings;
  job.chains = chains;
  job.checkpoint_seconds = options.checkpoint.folder.empty() ? -1 : options.checkpoint.every_seconds;
  job.progress = static_cast<bool>(options.progress);
  MessageWriter writer;
  writer.put(Order::chains).put_text(record_).put_text(job.bytes());
  writer.put_all(std::span<const double>(mark_of(setup)));
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, channel::control, writer.bytes());
}

Communicator& RankLeader::start_factorization() { return start_work(MessageWriter().put(Order::factors)); }
Communicator& RankLeader::start_documents() { return start_work(MessageWriter().put(Order::documents)); }

Communicator& RankLeader::start_work(MessageWriter order) {
  order.put_text(SGMCMC_VERSION);
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, channel::control, order.bytes());
  return ranks_;
}

void RankLeader::start_parts(int rank, const OptionValues& call, const std::vector<std::uint64_t>& numbers) {
  ranks_.send(rank, channel::control,
              MessageWriter()
                  .put(Order::parts)
                  .put_all(std::span<const std::uint64_t>(numbers))
                  .put_text(call.text("out"))
                  .put_text(call.where("out"))
                  .put(call.flag("overwrite"))
                  .bytes());
}

bool RankLeader::parts_have_ended(int rank, const std::function<void(const std::string& text)>& warn) {
  const auto message = ranks_.poll(rank, channel::reply);
  if (!message) return false;
  MessageReader reply(*message);
  const std::string failure(reply.take_text());
  for (auto left = reply.take<std::uint64_t>(); left > 0; --left) warn(std::string(reply.take_text()));
  if (!failure.empty()) throw Error(failure);
  return true;
}

void RankLeader::stop(int rank) { ranks_.send(rank, channel::control, MessageWriter().put(Order::stop).bytes()); }

void serve_rank_zero(Communicator& ranks, const ServeParts& sample_parts) {
  Served served;
  std::atomic<bool> stopped{false};
  std::string message = ranks.receive(0, channel::control);
  for (;;) {
    MessageReader reader(message);
    const auto order = reader.take<Order>();
    if (order == Order::end) break;
    std::optional<std::string> next;
    if (order == Order::sums) {
      if (served.rows) served.rows->serve(reader.rest());
    } else if (order == Order::rows) {
      serve_rows(ranks, reader, served);
    } else if (order == Order::factors || order == Order::documents) {
      if (const std::string version(reader.take_text()); version != SGMCMC_VERSION)
        throw RankError("it has version " SGMCMC_VERSION " of the program, and rank 0 version " + version +
                        ": copy the program to every machine");
      order == Order::factors ? serve_factor_chain(ranks) : serve_documents(ranks);
    } else if (order == Order::model) {
      read_model(std::string(reader.take_text()), ranks, served);
    } else if (order == Order::chains || order == Order::parts) {
      stopped.store(false);
      // They run in a separate thread, so that this one can receive the order to stop.
      auto work = std::async(std::launch::async, [&] {
        order == Order::chains ? run_chains(ranks, reader, served, stopped)
                               : run_parts(ranks, reader, served, stopped, sample_parts);
      });
      while (work.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
        if (next) continue;
        next = ranks.poll(0, channel::control);
        if (!next) continue;
        const auto kind = MessageReader(*next).take<Order>();
        if (kind == Order::stop || kind == Order::end) stopped.store(true);
        if (kind == Order::stop) next.reset();
      }
      work.get();
    }
    message = next ? std::move(*next) : ranks.receive(0, channel::control);
  }
  ranks.send(0, channel::reply, "");
}

void end_other_ranks(Communicator& ranks, int status) {
  const auto start = std::chrono::steady_clock::now();
  for (int rank = 1; rank < ranks.size(); ++rank)
    ranks.send(rank, channel::control, MessageWriter().put(Order::end).bytes());
  for (int rank = 1; rank < ranks.size(); ++rank) {
    Patience patience;
    while (!ranks.poll(rank, channel::reply)) {
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(5)) ranks.abort(status);
      patience.pause();
    }
  }
}

}  // namespace sgmcmc
