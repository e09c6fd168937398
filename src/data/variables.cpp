// Reads each file once, in the order of the arguments, and puts what it holds under the names that are wanted.
#include "data/variables.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "data/binary_array.hpp"
#include "data/data_argument.hpp"
#include "data/data_stream.hpp"
#include "data/formats/csv_reader.hpp"
#include "data/formats/idx_reader.hpp"
#include "data/formats/json_reader.hpp"
#include "data/formats/libsvm_reader.hpp"
#include "data/formats/npy_reader.hpp"
#include "data/row_files/row_file.hpp"
#include "data/text/file_format.hpp"
#include "data/text/interruptible_source.hpp"
#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace sgmcmc {

namespace {

/// The 1-based indices of an element, as Stan counts.
std::string index_text(const Shape& shape, std::int64_t position) {
  std::vector<std::int64_t> index(shape.rank());
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    index[axis] = position % shape[axis] + 1;
    position /= shape[axis];
  }
  return Shape(std::move(index)).to_string();
}

class DataReader {
 public:
  DataReader(const std::vector<WantedVariable>& wanted, ThreadPool* pool, const std::atomic<bool>* interrupt,
             const RowShare* share = nullptr, PassMeter* meter = nullptr)
      : pool_(pool), interrupt_(interrupt), share_(share), meter_(meter) {
    for (const WantedVariable& variable : wanted) wanted_.emplace(variable.name, variable.kind);
  }

  /// Of files whose rows can be streamed only the outline is read, and added to the list.
  void only_outlines(std::vector<DataOutline::Stream>& streams) { streams_ = &streams; }
  /// Nothing but this file is read, and its rows are handed on.
  void only_rows_of(std::string file, decltype(CsvRequests::take) take) {
    streamed_file_ = std::move(file);
    take_ = std::move(take);
  }

  DataVariables read(const std::vector<std::string>& texts) {
    std::vector<DataArgument> arguments;
    for (const std::string& text : texts) arguments.push_back(parse_data_argument(text));
    check(arguments);
    std::vector<bool> is_done(arguments.size(), false);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (is_done[i]) continue;
      std::vector<DataArgument> same_file;
      for (std::size_t j = i; j < arguments.size(); ++j) {
        if (arguments[j].file != arguments[i].file) continue;
        same_file.push_back(arguments[j]);
        is_done[j] = true;
      }
      read_file(same_file);
    }
    return std::move(result_);
  }

 private:
  std::optional<WantedKind> kind_of(const std::string& name) const {
    const auto found = wanted_.find(name);
    return found == wanted_.end() ? std::nullopt : std::optional(found->second);
  }

  /// What is wrong whatever the files hold.
  void check(const std::vector<DataArgument>& arguments) const {
    std::vector<std::string> known;
    for (const auto& [name, kind] : wanted_) known.push_back(name);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const DataArgument& argument = arguments[i];
      if (!argument.name.empty() && !kind_of(argument.name)) {
        throw OptionError("data " + argument.text + ": the model declares no data called '" + argument.name + "'." +
                          did_you_mean(argument.name, known));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (arguments[j].text == argument.text)
          throw OptionError("data " + argument.text + " is given twice. Remove one");
        if (!argument.name.empty() && arguments[j].name == argument.name) {
          throw OptionError("variable '" + argument.name + "' is given twice: " + arguments[j].text + " and " +
                            argument.text + ". Remove one");
        }
      }
    }
  }

  void store(const std::string& name, DataArray array, std::string source) {
    if (const DataVariable* const other = result_.find(name)) {
      throw DataError("variable '" + name + "' is there twice: in " + other->source + " and in " + source +
                      ". Remove one of them");
    }
    const WantedKind kind = *kind_of(name);
    if (kind == WantedKind::real && !array.is_sparse()) array = std::move(array).to_real();
    if (kind == WantedKind::integer && array.is_sparse()) {
      throw DataError(source + ": LIBSVM features are real, but the model declares '" + name + "' as int");
    }
    if (kind == WantedKind::integer && !array.is_integer()) {
      DataArray::Integers integers = array.to_integer();
      if (!integers.array) {
        throw DataError(source + ": element " + index_text(array.shape(), integers.bad_index) + " is " +
                        number_text(integers.bad_value) + ", but the model declares '" + name +
                        "' as int: whole numbers within 32 bits");
      }
      array = std::move(*integers.array);
    }
    result_.by_name.emplace(name, DataVariable{std::move(array), std::move(source)});
  }

  void read_file(const std::vector<DataArgument>& arguments) {
    const std::string& file = arguments.front().file;
    if (take_ && file != streamed_file_) return;
    try {
      Input input(file, interruptible(open_file(file), interrupt_));
      const FileFormat format = detect_format(input);
      switch (format) {
        case FileFormat::csv: return read_csv_file(input, arguments);
        case FileFormat::libsvm: return read_libsvm_file(input, arguments);
        case FileFormat::rows: return read_rows(arguments);
        default: read_other(input, format, arguments);
      }
    } catch (const std::bad_alloc&) {
      throw DataError(file + ": there is not enough memory to hold these data");
    }
  }

  void read_csv_file(Input& input, const std::vector<DataArgument>& arguments) {
    CsvRequests requests;
    for (const DataArgument& argument : arguments) {
      if (argument.name.empty()) {
        requests.kind_of_column = [this](const std::string& name) { return kind_of(name); };
      } else {
        requests.arrays.push_back({argument.name, argument.columns, *kind_of(argument.name)});
      }
    }
    requests.take = take_;
    CsvArrays arrays = streams_ ? outline_of_csv(input, requests) : read_csv(input, requests, pool_);
    if (take_) return;
    if (streams_) {
      streams_->push_back({input.name(), {}});
      for (const auto& each : arrays.arrays) streams_->back().names.push_back(each.name);
    }
    for (auto& [name, variable] : arrays.arrays) store(name, std::move(variable.array), std::move(variable.source));
    std::ranges::move(arrays.unused, std::back_inserter(result_.unused));
  }

  CsvArrays outline_of_csv(Input& input, const CsvRequests& requests) const {
    Input counted(input.name(), interruptible(open_file(input.name()), interrupt_));
    return plan_csv(input, requests, count_csv_rows(counted));
  }

  void read_rows(const std::vector<DataArgument>& arguments) {
    for (const DataArgument& argument : arguments) {
      if (!argument.name.empty())
        throw OptionError("data " + argument.text + ": a row file has its own names. Write " + argument.file);
    }
    for (auto& [name, variable] : read_row_file(arguments.front().file, pool_, interrupt_, share_, meter_)) {
      if (kind_of(name))
        store(name, std::move(variable.array), std::move(variable.source));
      else
        result_.unused.push_back(name);
    }
  }

  void read_libsvm_file(Input& input, const std::vector<DataArgument>& arguments) {
    struct Part {
      std::string name;
      bool is_label;
    };
    std::vector<Part> parts;
    for (const DataArgument& argument : arguments) {
      if (argument.name.empty()) {
        for (const Part& part : {Part{"X", false}, Part{"y", true}}) {
          kind_of(part.name) ? parts.push_back(part) : result_.unused.push_back(part.name);
        }
      } else if (argument.columns.empty() || argument.columns == "label") {
        parts.push_back({argument.name, !argument.columns.empty()});
      } else {
        throw OptionError(
            "data " + argument.text +
            ": the file is LIBSVM, which has no columns. NAME=FILE are its features, NAME=FILE:label its labels");
      }
    }
    WantedKind label_kind = WantedKind::either;
    for (const Part& part : parts) {
      if (part.is_label) label_kind = *kind_of(part.name);
    }
    const LibsvmData data = read_libsvm(input, label_kind);
    for (const Part& part : parts) {
      store(part.name, part.is_label ? data.labels : data.features,
            input.name() + (part.is_label ? ": labels" : ": features"));
    }
  }

  /// Formats of which one argument takes all there is.
  void read_other(Input& input, FileFormat format, const std::vector<DataArgument>& arguments) {
    const DataArgument& argument = arguments.front();
    for (const DataArgument& each : arguments) {
      if (!each.columns.empty()) {
        throw OptionError("data " + each.text + ": columns can be chosen from CSV files only, and this one is " +
                          format_name(format) + ". Write " + each.name + "=" + each.file);
      }
    }
    if (arguments.size() > 1) {
      throw OptionError("data " + argument.text + " and " + arguments[1].text + " name the same file. Give it once");
    }
    if (argument.name.empty()) {
      if (format != FileFormat::json) {
        throw OptionError("data " + argument.text + ": an " + format_name(format) +
                          " file holds one array without a name. Write NAME=" + argument.text);
      }
      read_json_object(input, {[this](const std::string& key) {
                                 const auto kind = kind_of(key);
                                 if (!kind) result_.unused.push_back(key);
                                 return kind;
                               },
                               [&](const std::string& key, DataArray array) {
                                 store(key, std::move(array), input.name() + ": key '" + key + "'");
                               }});
      return;
    }
    const WantedKind kind = *kind_of(argument.name);
    if (format == FileFormat::npy && (streams_ || take_)) return outline_or_stream(input, argument, kind);
    DataArray array = format == FileFormat::json  ? read_json_array(input, kind)
                      : format == FileFormat::npy ? read_npy(input, kind, argument.file)
                                                  : read_idx(input, kind);
    store(argument.name, std::move(array), input.name());
  }

  /// Of an NPY file.
  void outline_or_stream(Input& input, const DataArgument& argument, WantedKind kind) {
    const BinaryLayout layout = read_npy_header(input);
    if (!can_stream(layout))
      return store(argument.name, read_binary_array(input, layout, kind, argument.file), input.name());
    if (take_)
      return stream_binary_rows(input, layout, kind,
                                [&](std::int64_t first, std::int64_t count, const std::byte* rows) {
                                  take_(first, count, {{0, rows, kind == WantedKind::integer}});
                                });
    streams_->push_back({input.name(), {argument.name}});
    store(argument.name, outline_of(input, layout, kind), input.name());
  }

  std::map<std::string, WantedKind> wanted_;
  ThreadPool* pool_;
  const std::atomic<bool>* interrupt_;
  const RowShare* share_;
  PassMeter* meter_;
  std::vector<DataOutline::Stream>* streams_ = nullptr;
  std::string streamed_file_;
  decltype(CsvRequests::take) take_;
  DataVariables result_;
};

}  // namespace

DataVariables read_data(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                        ThreadPool* pool, const std::atomic<bool>* interrupt, const RowShare* share, PassMeter* meter) {
  return DataReader(wanted, pool, interrupt, share, meter).read(arguments);
}

DataOutline outline_data(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                         ThreadPool* pool, const std::atomic<bool>* interrupt) {
  DataOutline outline;
  DataReader reader(wanted, pool, interrupt);
  reader.only_outlines(outline.streams);
  outline.variables = reader.read(arguments);
  return outline;
}

void stream_file(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                 const std::string& file, ThreadPool* pool, const std::atomic<bool>* interrupt,
                 decltype(CsvRequests::take) take) {
  DataReader reader(wanted, pool, interrupt);
  reader.only_rows_of(file, std::move(take));
  reader.read(arguments);
}

DataVariables read_data(const std::vector<std::string>& arguments, const std::vector<std::string>& wanted,
                        ThreadPool* pool) {
  std::vector<WantedVariable> variables;
  for (const std::string& name : wanted) variables.push_back({name});
  return read_data(arguments, variables, pool);
}

}  // namespace sgmcmc
