// Stan functions that are not supported, with what to write instead.
#include "stan/builtins/builtins.hpp"

#include <array>
#include <utility>

namespace sgmcmc::stan {
namespace {

constexpr std::string_view solvers =
    "differential equations are not solved here: write the solution in closed form, or a fixed number of steps as a "
    "loop";
constexpr std::string_view integrals = "write a quadrature rule with fixed nodes as a sum";
constexpr std::string_view roots = "write a fixed number of Newton steps as a loop";
constexpr std::string_view complex_numbers =
    "complex numbers are not supported: use separate variables for the real and the imaginary part";
constexpr std::string_view tuples = "tuples are not supported: call the functions that give one part each";
constexpr std::string_view hidden = "write the recursion as a loop with log_sum_exp; hmm_marginal is supported";

// A name, or the beginning of one with a star.
constexpr auto hints = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"map_rect", "write the plain loop: rows are split among threads anyway"},
    {"ode_*", solvers},
    {"dae*", solvers},
    {"integrate_ode*", solvers},
    {"integrate_1d", integrals},
    {"algebra_solver*", roots},
    {"solve_*", roots},
    {"hmm_hidden_state_prob", hidden},
    {"hmm_latent_rng", hidden},
    {"to_complex", complex_numbers},
    {"get_real", complex_numbers},
    {"get_imag", complex_numbers},
    {"arg", complex_numbers},
    {"conj", complex_numbers},
    {"proj", complex_numbers},
    {"polar", complex_numbers},
    {"norm", complex_numbers},
    {"fft*", complex_numbers},
    {"inv_fft*", complex_numbers},
    {"complex_schur_decompose*", complex_numbers},
    {"eigenvalues", "for symmetric matrices write eigenvalues_sym; general ones have complex eigenvalues"},
    {"eigenvectors", "for symmetric matrices write eigenvectors_sym; general ones have complex eigenvectors"},
    {"eigendecompose*", tuples},
    {"svd", tuples},
    {"qr", tuples},
    {"qr_thin", tuples},
    {"csr_extract", tuples},
    {"get_lp", "write target()"},
    {"increment_log_prob", "write target += ..."},
    {"lkj_cov_lpdf", "write the scales and the correlation matrix (lkj_corr) apart"},
    {"lkj_cov_log", "write the scales and the correlation matrix (lkj_corr) apart"},
    {"inv_inc_beta", "only inc_beta is supported"},
    {"log_modified_bessel_first_kind", "write log(modified_bessel_first_kind(order, x)), with an int order"},
    {"lambert_wm1", "only the upper branch, lambert_w0, is supported"},
});

}  // namespace

std::string unsupported_hint(std::string_view function) {
  for (const auto& [name, hint] : hints) {
    const bool open = name.ends_with('*');
    if (open ? function.starts_with(name.substr(0, name.size() - 1)) : function == name) return std::string(hint);
  }
  return {};
}

}  // namespace sgmcmc::stan
