// Matrix factorisation with 10 factors: the Gibbs sampler beside plain loops, and ratings visited by the kernel of
// minibatch methods per second.
#include "benchmarks.hpp"
#include "hand/gibbs_row.hpp"
#include "timing.hpp"

#include "factors/ratings/rating_rows.hpp"
#include "factors/ring/block_kernel.hpp"
#include "factors/row_gibbs.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <vector>

namespace sgmcmc::bench {

void run_factors(Results& results, const Effort& effort) {
  // Users have from a few to hundreds of ratings, items too, as in MovieLens.
  constexpr std::uint32_t users = 1500, items = 1000;
  constexpr std::size_t factors = 10;
  std::vector<Rating> ratings;
  std::vector<double> uniforms(items);
  for (std::uint32_t u = 0; u < users; ++u) {
    fill_uniform({1, 0, u, Purpose::data}, uniforms);
    for (std::uint32_t i = 0; i < items; ++i)
      if (uniforms[i] < 40.0 / (static_cast<double>(1 + u % 50) * (0.5 + 0.02 * i)))
        ratings.push_back({u, i, static_cast<float>(1 + (u * 7 + i * 3) % 5)});
  }
  const RatingRows by_user = RatingRows::by_user(ratings, users);
  ThreadPool pool(1);
  const RowShape shape{factors, false};
  RowGibbs gibbs(shape, pool);
  FactorState state(users, items, shape);
  std::vector<double> v(items * factors), u(users * factors), normals(4096);
  fill_normal({2, 0, 0, Purpose::data}, v);
  fill_normal({3, 0, 0, Purpose::data}, normals);
  for (std::size_t i = 0; i < items; ++i) std::copy_n(v.data() + i * factors, factors, state.items.row(i));

  const RatingBlocks blocks(ratings, users, items, 1, 3.0, 1.0);
  constexpr std::size_t stride = 16;
  AlignedBuffer<float> fu(users * stride), fv(items * stride), gu(users * stride), gv(items * stride);
  fill_normal({4, 0, 0, Purpose::data}, fu.span());
  fill_normal({5, 0, 0, Purpose::data}, fv.span());

  double library = 1e300, by_hand = 1e300, visit = 1e300, loss = 0;
  for (int round = 0; round < effort.rounds / 4 + 1; ++round) {
    library = std::min(library, microseconds_of([&] {
                         gibbs.draw(by_user, state.users, state.items, {1.0, 0.0, 1.0},
                                    {6, 0, static_cast<std::uint64_t>(round), Purpose::latent});
                       }));
    by_hand = std::min(by_hand, microseconds_of([&] {
                         hand::gibbs_rows(by_user.start, by_user.other, by_user.value, v, u, factors, 1.0, normals);
                       }));
    visit = std::min(visit, microseconds_of([&] {
                       loss += visit_block(blocks.block(0, 0), {fu.data(), fv.data(), gu.data(), gv.data(), stride});
                     }));
  }
  results.judge("factors_gibbs_over_hand", library / by_hand, Results::Goal::at_most, 0.7,
                "time of a Gibbs draw of all users, 10 factors, over that of plain loops");
  results.judge("factors_million_ratings_per_s_per_core", static_cast<double>(ratings.size()) / visit,
                Results::Goal::at_least, loss == loss ? 80 : 1e300,
                "ratings visited by minibatch gradients, 10 factors, millions per second and core");
}

}  // namespace sgmcmc::bench
