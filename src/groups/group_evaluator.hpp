// Integrates over the parameters of groups, on one thread: copies the rows of a few groups at a time into a chunk, and
// runs programs over them with the local parameters as row data. A group with very many rows is a chunk of its own,
// whose rows are copied in windows, again and again.
#pragma once

#include "groups/term_rows.hpp"

#include <sgmcmc/random.hpp>

#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

class GroupEvaluator {
 public:
  static constexpr std::size_t rows_of_window = std::size_t{1} << 15;
  explicit GroupEvaluator(const MarginalPosterior& posterior, std::size_t most_rows = rows_of_window);
  ~GroupEvaluator();

  /// Sets phi for the functions below.
  void set_phi(std::span<const double> phi);

  /// Adds weight_j times the gradient of log integral_j to `gradient` (D numbers; empty: not computed) and returns the
  /// weighted sum of the log integrals. weights: one per group, or null for 1. Non-finite if phi is outside the
  /// support.
  double integrate(std::span<const std::uint32_t> groups, const double* weights, std::span<double> gradient);
  /// The gradient of each log integral: groups x D.
  void gradients(std::span<const std::uint32_t> groups, std::span<double> each);
  /// The value and gradient of the global term at phi, added to `gradient`.
  double global_term(std::span<double> gradient);

  /// Draws the local parameters of each group given phi and its rows: groups x width, by importance resampling from the
  /// normal approximation at the mode. Group j uses its own part of the stream.
  void draw(std::span<const std::uint32_t> groups, const StreamKey& key, std::span<double> locals);
  /// The contribution of the rows of each group to value, gradient and Hessian (lower triangle) in u, at u = 0.
  void curves_of_rows(std::span<const std::uint32_t> groups, std::span<double> curves);
  /// The modes of the groups: groups x width.
  void modes(std::span<const std::uint32_t> groups, std::span<double> locals);

 private:
  using Kind = MarginalPosterior::Kind;
  template <class Body>
  void for_chunks(std::span<const std::uint32_t> groups, Body&& body);
  void load(std::span<const std::uint32_t> groups);
  void load_window(std::size_t window);
  template <class Body>
  void for_windows(Body&& body);
  void place_locals_of_rows(const double* locals);
  void place_locals_of_groups(const double* locals);
  void add_values(const double* locals, std::vector<double>& by_group);
  void values_at_nodes(std::size_t nodes);
  template <class Add>
  void add_slopes_of_rows(Add&& add);
  void derivatives(const double* locals);
  void find_modes();
  bool newton_step(std::size_t group);
  void evaluate_nodes(bool with_slopes);
  void node_locals(std::size_t node);

  const MarginalPosterior& posterior_;
  std::size_t width_;
  std::size_t curve_size_;
  std::size_t row_capacity_, group_capacity_;
  std::unique_ptr<TermRows> rows_, groups_;
  std::unique_ptr<Executor> global_;
  std::vector<double> global_outputs_;

  // State of the current chunk.
  std::span<const std::uint32_t> chunk_;
  Kind chunk_kind_ = Kind::small;
  std::size_t windows_ = 1;
  std::size_t chunk_rows_ = 0;                                          // of the window, if there are several
  std::vector<std::uint32_t> group_of_row_, ends_;                      // of rows in the chunk; ends_: of groups
  std::vector<double> at_, best_, step_, length_, best_value_, value_;  // of the search for modes
  std::vector<double> curves_;                                          // value, gradient, Hessian by group
  std::vector<double> mode_, factor_, log_scale_;  // factor: lower triangular, groups x width x width
  std::vector<double> node_weights_;               // groups x nodes
  std::vector<double> node_values_;                // of a group with several windows
  std::vector<double> log_integral_;
  std::vector<double> trial_;
};

}  // namespace sgmcmc
