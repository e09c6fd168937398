// Integrals over the parameters of groups, for one thread: rows of a few groups at a time are copied side by side, and
// programs run over them with the local parameters as row data.
#pragma once

#include "groups/term_rows.hpp"

#include <sgmcmc/random.hpp>

#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

class GroupEvaluator {
 public:
  explicit GroupEvaluator(const MarginalPosterior& posterior);
  ~GroupEvaluator();

  /// Where phi stands for all that follows.
  void set_phi(std::span<const double> phi);

  /// Adds weight_j times the gradient of log integral_j to `gradient` (D numbers; empty: not wanted) and returns the
  /// weighted sum of the log integrals. weights: one for each group, or null for 1. Not finite where phi is outside the
  /// support.
  double integrate(std::span<const std::uint32_t> groups, const double* weights, std::span<double> gradient);
  /// The gradient of each log integral: groups x D.
  void gradients(std::span<const std::uint32_t> groups, std::span<double> each);
  /// The value and gradient of the global term at phi, added to `gradient`.
  double global_term(std::span<double> gradient);

  /// One draw of the local parameters of each group from their law given phi and the rows: groups x width. Draws of the
  /// normal approximation at the mode, one of them chosen by its importance. Group j uses the part of the stream that
  /// belongs to it.
  void draw(std::span<const std::uint32_t> groups, const StreamKey& key, std::span<double> locals);
  /// What the rows of each group add to value, gradient and Hessian (lower triangle) in u, at u = 0.
  void curves_of_rows(std::span<const std::uint32_t> groups, std::span<double> curves);
  /// The modes of the groups: groups x width.
  void modes(std::span<const std::uint32_t> groups, std::span<double> locals);

 private:
  using Kind = MarginalPosterior::Kind;
  template <class Body>
  void for_chunks(std::span<const std::uint32_t> groups, Body&& body);
  void load(std::span<const std::uint32_t> groups);
  void place_locals(const double* locals);
  void add_values(std::vector<double>& by_group);
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

  // Of the chunk at hand.
  std::span<const std::uint32_t> chunk_;
  Kind chunk_kind_ = Kind::small;
  std::size_t chunk_rows_ = 0;
  std::vector<std::uint32_t> group_of_row_, ends_;                      // of rows in the chunk; ends_: of groups
  std::vector<double> at_, best_, step_, length_, best_value_, value_;  // of the search for modes
  std::vector<double> curves_;                                          // value, gradient, Hessian by group
  std::vector<double> mode_, factor_, log_scale_;  // factor: lower triangular, groups x width x width
  std::vector<double> node_weights_;               // groups x nodes
  std::vector<double> log_integral_;
  std::vector<double> trial_;
};

}  // namespace sgmcmc
