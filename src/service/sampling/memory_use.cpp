// Counts rows, and what estimators store for each row; other memory does not grow with the data.
#include "service/sampling/memory_use.hpp"

#include "base/text.hpp"
#include "data/store.hpp"
#include "dynamics/traits.hpp"
#include "groups/group_model.hpp"

namespace sgmcmc {
namespace {

constexpr double much = 0.5e9;
constexpr double bytes_of_probability =
    28;                               // itself, its cell of the table, what the table makes of it, and building it
constexpr double bytes_of_place = 4;  // of a row among those of its group

std::string gigabytes(double bytes) { return formatted("%.2f", bytes / 1e9) + " GB"; }

/// Methods that integrate the parameters of groups out, or may do so once tuning has chosen them. They need no list of
/// rows if the rows of a group are together.
bool lists_rows_of_groups(const Model& model, const SampleOptions& options) {
  if (!options.automatic && !is_marginal(options.sampler)) return false;
  const auto groups = find_groups(model).model;
  return groups && model.data().store().group_by() != groups->column;
}

}  // namespace

MemoryUse expected_memory(const Model& model, const SampleOptions& options) {
  MemoryUse use;
  const DatasetStore& store = model.data().store();
  use.packed = static_cast<double>(store.memory_bytes());
  use.in_place = static_cast<double>(store.borrowed_bytes());
  if (!model.row_log_likelihood()) return use;
  const auto rows = static_cast<double>(model.rows());
  const auto& gradient = options.gradient;
  const RowSampling sampling = gradient.minibatch.sampling;
  const bool minibatches = options.automatic || gradient.estimator != Estimator::full;
  if (minibatches && (sampling == RowSampling::weighted || sampling == RowSampling::preferential ||
                      (options.automatic && sampling == RowSampling::without_replacement))) {
    use.per_row = bytes_of_probability * rows;
    use.per_row_words = "for the probabilities with which rows are drawn";
  }
  if (!options.automatic && gradient.estimator == Estimator::saga && !is_marginal(options.sampler)) {
    use.per_row += 8.0 * rows * static_cast<double>(model.dimension()) * options.chains;
    use.per_row_words = "for a gradient of every row and chain";
  }
  if (use.per_row == 0 && lists_rows_of_groups(model, options)) {
    use.per_row = bytes_of_place * rows;
    use.per_row_words = "for lists of the rows of each group";
  }
  return use;
}

std::string memory_words(const MemoryUse& use, double limit) {
  if (use.total() < much) return "";
  if (limit > 0 && use.in_place > limit / 2)
    return "memory: at most " + gigabytes(limit) + ", half of it for rows; the " + gigabytes(use.in_place) +
           " of data stay on disk and are read as they are visited";
  std::string text = "memory: about " + gigabytes(use.total()) + ", of which " + gigabytes(use.packed + use.in_place) +
                     " are the data";
  if (use.in_place > 0) text += " (" + gigabytes(use.in_place) + " read in place)";
  if (use.per_row > 0) text += " and " + gigabytes(use.per_row) + " " + use.per_row_words;
  return text;
}

namespace {

/// What makes lists of the rows of groups unnecessary.
std::string or_pack_by_group(const Model& model) {
  const auto groups = find_groups(model).model;
  if (!groups) return "";
  return ", or pack the data with group-by " + groups->column + ", which keeps the rows of a group together";
}

/// What to use instead of numbers for each row.
std::string advice(const Model& model, const SampleOptions& options) {
  if (!options.automatic && is_marginal(options.sampler))
    return "Use sghmc-cv, which keeps nothing for each row" + or_pack_by_group(model);
  if (!options.automatic && options.gradient.estimator == Estimator::saga)
    return "Use control variates (-cv), which keep one gradient for all rows";
  if (model.data().store().group_by()) return "Draw rows with replacement, or pack the data without group-by";
  if (!model.data().in_random_order())
    return "Write the data to a row file with sgmcmc pack: slices of its rows need no probabilities";
  if (options.automatic && options.gradient.minibatch.sampling == RowSampling::slices)
    return "Name a method that keeps nothing for each row, such as sghmc-cv" + or_pack_by_group(model);
  return "Draw slices of the row file instead, which need no probabilities";
}

}  // namespace

std::string too_much_memory(const MemoryUse& use, const Model& model, const SampleOptions& options, double limit) {
  if (!(limit > 0)) return "";
  const double room = limit / 2;  // the other half is for rows of mapped files
  if (use.packed > room)
    return "the data take " + gigabytes(use.packed) +
           " in memory, more than half of it. Write them to a row file with " +
           "sgmcmc pack, and sample from that file";
  if (use.packed + use.per_row <= room) return "";
  return "the method keeps " + gigabytes(use.per_row) + " " + use.per_row_words + ", more than half of it. " +
         advice(model, options);
}

}  // namespace sgmcmc
