// Plans where each field goes, then parses block after block while the next one is being read.
#include "data/formats/csv_reader.hpp"

#include "base/thread_pool.hpp"
#include "data/formats/csv_blocks.hpp"
#include "data/formats/csv_parse.hpp"
#include "data/formats/csv_table.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

namespace sgmcmc {

namespace {

struct Output {
  std::string name;
  WantedKind kind = WantedKind::either;
  CsvSelection selection;
  PagedMemory memory;
  PagedMemory handed_on;  ///< rows that were parsed before, where they are handed on
  bool has_reals = false;

  std::size_t value_bytes() const { return kind == WantedKind::integer ? sizeof(std::int32_t) : sizeof(double); }
  std::size_t row_bytes() const { return value_bytes() * selection.columns.size(); }
};

std::vector<Output> plan_outputs(const std::string& file, const CsvTable& table, const CsvRequests& requests,
                                 std::vector<std::string>& unused) {
  std::vector<Output> outputs;
  const auto add = [&](const std::string& name, WantedKind kind, CsvSelection selection) {
    Output output;
    output.name = name;
    output.kind = kind;
    output.selection = std::move(selection);
    outputs.push_back(std::move(output));
  };
  for (const CsvRequest& request : requests.arrays) {
    CsvSelection selection;
    if (request.columns.empty()) {
      selection.columns.resize(table.columns);
      std::iota(selection.columns.begin(), selection.columns.end(), std::size_t{0});
      selection.is_list = table.columns > 1;
    } else {
      selection = select_columns(table, file, request.columns);
    }
    add(request.name, request.kind, std::move(selection));
  }
  if (!requests.kind_of_column) return outputs;
  if (!table.has_header) {
    throw DataError(file +
                    ": the file has no header (its first line holds numbers), so its columns have no names. Add "
                    "one, or write NAME=FILE:COLUMNS with columns by number, 1 to " +
                    std::to_string(table.columns));
  }
  for (std::size_t column = 0; column < table.columns; ++column) {
    const std::string& name = table.header[column];
    const auto kind = requests.kind_of_column(name);
    if (kind) {
      select_columns(table, file, name);  // refuses a name that is there twice
      add(name, *kind, {{column}, false});
    } else if (!name.empty()) {
      unused.push_back(name);
    }
  }
  return outputs;
}

std::vector<CsvRun> plan_runs(const CsvTable& table, const std::vector<Output>& outputs) {
  std::vector<std::vector<CsvRun::Place>> places(table.columns);
  for (std::size_t target = 0; target < outputs.size(); ++target) {
    const auto& columns = outputs[target].selection.columns;
    for (std::size_t offset = 0; offset < columns.size(); ++offset) places[columns[offset]].push_back({target, offset});
  }
  std::vector<CsvRun> runs;
  for (std::size_t field = 0; field < table.columns; ++field) {
    const bool is_last = field + 1 == table.columns;
    const auto continues = [&](const CsvRun& run) {
      if (is_last || run.places.size() != places[field].size() || run.places.size() > 1) return false;
      return run.places.empty() || (run.places[0].target == places[field][0].target &&
                                    run.places[0].offset + run.count == places[field][0].offset);
    };
    if (!runs.empty() && continues(runs.back())) {
      ++runs.back().count;
    } else {
      runs.push_back({field, 1, is_last ? '\n' : table.separator, std::move(places[field])});
    }
  }
  return runs;
}

std::string source_of(const std::string& file, const CsvTable& table, const CsvSelection& selection) {
  const auto& columns = selection.columns;
  if (!selection.is_list)
    return file + (table.columns > 1 || table.has_header ? ": " + column_label(table, columns[0]) : "");
  if (columns.size() == table.columns && std::ranges::is_sorted(columns)) return file;
  std::string text = file + ": columns ";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(columns[i] + 1);
    std::size_t last = i;
    while (last + 1 < columns.size() && columns[last + 1] == columns[last] + 1) ++last;
    if (last > i + 1) {
      text += ".." + std::to_string(columns[last] + 1);
      i = last;
    }
    if (text.size() > 60 && i + 1 < columns.size()) return text + ", ...";
  }
  return text;
}

class CsvReader {
 public:
  CsvReader(Input& input, const CsvRequests& requests, ThreadPool* pool, const CsvSizes& sizes)
      : input_(input), take_(requests.take), pool_(pool), table_(read_csv_outline(input)) {
    outputs_ = plan_outputs(input.name(), table_, requests, result_.unused);
    plan_.table = &table_;
    plan_.file = input.name();
    plan_.runs = plan_runs(table_, outputs_);
    for (const Output& output : outputs_) {
      plan_.targets.push_back(
          {nullptr, output.selection.columns.size(), output.kind == WantedKind::integer, output.name});
    }
    const std::size_t threads = pool == nullptr ? 1 : static_cast<std::size_t>(pool->threads());
    piece_bytes_ = std::max<std::size_t>(sizes.piece_bytes, 1);
    block_bytes_ = piece_bytes_ * std::max<std::size_t>(sizes.pieces_per_thread, 1) * threads;
  }

  /// As if so many rows had been read, all zero: pages that nobody writes take no memory.
  CsvArrays plan(std::int64_t rows) {
    rows_ = rows;
    for (Output& output : outputs_) output.memory.reserve(static_cast<std::size_t>(rows) * output.row_bytes());
    if (!outputs_.empty()) finish();
    return std::move(result_);
  }

  CsvArrays read() {
    if (outputs_.empty()) return std::move(result_);  // nothing wanted: the rest is nobody's business
    CsvBlocks blocks(input_, block_bytes_, piece_bytes_, table_.first_line);
    const auto size = input_.remaining();
    CsvBlock block, next;
    blocks.read(block);
    if (!block.pieces.empty() && size && !take_) reserve(block, *size);
    while (!block.pieces.empty()) {
      make_room(block);
      const std::int64_t before = rows_;
      parse_while_reading(block, blocks, next);
      if (take_) keep_for_taking(before);
      std::swap(block, next);
    }
    hand_on();
    finish();
    return std::move(result_);
  }

 private:
  /// Room for all rows, guessed from the first block: growing later only costs time.
  void reserve(const CsvBlock& block, std::uint64_t file_bytes) {
    const double block_bytes = static_cast<double>(block.pieces.back().end - block.pieces.front().begin);
    const double rows = static_cast<double>(block.rows) * static_cast<double>(file_bytes) / block_bytes * 1.02 + 100;
    for (Output& output : outputs_) {
      try {
        output.memory.reserve(static_cast<std::size_t>(rows) * output.row_bytes());
      } catch (const std::bad_alloc&) {  // it was a guess
      }
    }
  }

  void make_room(const CsvBlock& block) {
    const CsvPiece& last = block.pieces.back();
    if (take_) plan_.first_row = block.pieces.front().first_row;  // those before were handed on
    const auto rows = static_cast<std::size_t>(last.first_row + last.rows - plan_.first_row);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      PagedMemory& memory = outputs_[i].memory;
      const std::size_t needed = rows * outputs_[i].row_bytes();
      if (needed > memory.capacity()) memory.reserve(std::max(needed, 2 * memory.capacity()));
      plan_.targets[i].base = memory.data();
    }
  }

  void parse_while_reading(const CsvBlock& block, CsvBlocks& blocks, CsvBlock& next) {
    outcomes_.resize(block.pieces.size());
    std::exception_ptr read_failure;  // counts only when all text before it is right
    const auto work = [&](std::size_t index, int) {
      if (index > 1) return parse_csv_piece(plan_, block.pieces[index - 2], outcomes_[index - 2]);
      if (index == 1) return hand_on();
      try {
        blocks.read(next);
      } catch (...) {
        read_failure = std::current_exception();
      }
    };
    if (pool_ != nullptr) {
      pool_->for_each(block.pieces.size() + 2, work);
    } else {
      for (std::size_t index = 0; index < block.pieces.size() + 2; ++index) work(index, 0);
    }
    for (const CsvOutcome& outcome : outcomes_) {
      if (empty_line_ != 0 && (outcome.rows > 0 || !outcome.problem.empty())) {
        throw DataError(input_.name() + ":" + std::to_string(empty_line_) + ": the line is empty. Remove it");
      }
      if (!outcome.problem.empty()) throw DataError(outcome.problem);
      if (empty_line_ == 0) empty_line_ = outcome.empty_line;
      rows_ += outcome.rows;
      for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i].has_reals |= outcome.has_reals[i] != 0;
    }
    if (read_failure) std::rethrow_exception(read_failure);
  }

  /// The rows from `first` on are handed on while the next ones are parsed.
  void keep_for_taking(std::int64_t first) {
    parsed_.clear();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      Output& output = outputs_[i];
      std::swap(output.memory, output.handed_on);
      const auto skipped = static_cast<std::size_t>(first - plan_.first_row) * output.row_bytes();
      parsed_.push_back({i, output.handed_on.data() + skipped, output.kind == WantedKind::integer});
    }
    parsed_first_ = first;
    parsed_rows_ = rows_ - first;
  }
  void hand_on() {
    if (const std::int64_t count = std::exchange(parsed_rows_, 0); count > 0) take_(parsed_first_, count, parsed_);
  }

  void finish() {
    if (rows_ == 0) throw DataError(input_.name() + ": there is a header, but no line of data");
    for (Output& output : outputs_) {
      if (take_) output.memory.reserve(static_cast<std::size_t>(rows_) * output.row_bytes());  // nobody reads them
      const std::size_t columns = output.selection.columns.size();
      const std::size_t count = static_cast<std::size_t>(rows_) * columns;
      Shape shape = output.selection.is_list ? Shape{rows_, static_cast<std::int64_t>(columns)} : Shape{rows_};
      DataVariable variable;
      variable.source = source_of(input_.name(), table_, output.selection);
      if (output.kind == WantedKind::integer) {
        variable.array = {GrowingMemory<std::int32_t>::adopt(std::move(output.memory), count), std::move(shape)};
      } else {
        auto reals = GrowingMemory<double>::adopt(std::move(output.memory), count);
        if (output.kind == WantedKind::either && !output.has_reals) {
          variable.array = {narrow(std::move(reals)), std::move(shape)};
        } else {
          variable.array = {std::move(reals), std::move(shape)};
        }
      }
      result_.arrays.push_back({output.name, std::move(variable)});
    }
  }

  Input& input_;
  std::function<void(std::int64_t, std::int64_t, const std::vector<CsvRows>&)> take_;
  ThreadPool* pool_;
  CsvTable table_;
  std::vector<Output> outputs_;
  CsvPlan plan_;
  CsvArrays result_;
  std::size_t piece_bytes_ = 0, block_bytes_ = 0;
  std::vector<CsvOutcome> outcomes_;
  std::vector<CsvRows> parsed_;  // to be handed on
  std::int64_t parsed_first_ = 0, parsed_rows_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t empty_line_ = 0;  // the first of those seen at the end of the last piece
};

}  // namespace

CsvArrays plan_csv(Input& input, const CsvRequests& requests, std::int64_t rows) {
  return CsvReader(input, requests, nullptr, {}).plan(rows);
}

std::int64_t count_csv_rows(Input& input) {
  const CsvTable table = read_csv_outline(input);
  constexpr std::size_t block_bytes = std::size_t{256} << 10;  // small enough for the cache
  CsvBlocks blocks(input, block_bytes, block_bytes, table.first_line);
  std::int64_t rows = 0, empty = 0;  // of those, at the end
  CsvBlock block;
  for (blocks.read(block); !block.pieces.empty(); blocks.read(block))
    for (const CsvPiece& piece : block.pieces) {
      std::int64_t here = 0;
      const char* end = piece.end;
      while (end != piece.begin && (end[-1] == '\n' || end[-1] == '\r')) here += *--end == '\n' ? 1 : 0;
      if (end != piece.begin) --here;  // the line feed of the last line that is not empty
      empty = end == piece.begin ? empty + here : here;
      rows += piece.rows;
    }
  return rows - empty;
}

CsvArrays read_csv(Input& input, const CsvRequests& requests, ThreadPool* pool, const CsvSizes& sizes) {
  return CsvReader(input, requests, pool, sizes).read();
}

}  // namespace sgmcmc
