// Opens the communicator of mpirun.
#include "service/ranks/rank_job.hpp"

#include "ranks/launched_ranks.hpp"
#include "service/ranks/rank_service.hpp"

#include <cstdlib>

namespace sgmcmc {

struct RankJob::Parts {
  std::unique_ptr<Communicator> ranks;
  std::unique_ptr<RankLeader> leader;
};

RankJob::RankJob(std::function<void(const std::string& why)> lost) : parts_(std::make_unique<Parts>()) {
  LaunchOptions options;
  options.lost = std::move(lost);
  parts_->ranks = open_launched_ranks(options);
  if (parts_->ranks->rank() == 0 && parts_->ranks->size() > 1)
    parts_->leader = std::make_unique<RankLeader>(*parts_->ranks);
}

RankJob::~RankJob() = default;

int RankJob::rank() const { return parts_->ranks->rank(); }
int RankJob::size() const { return parts_->ranks->size(); }
std::string RankJob::name() const { return parts_->ranks->name_of(rank()); }
void RankJob::serve(const ServeParts& sample_parts) { serve_rank_zero(*parts_->ranks, sample_parts); }
RankLeader* RankJob::leader() { return parts_->leader.get(); }
void RankJob::end(int status) { end_other_ranks(*parts_->ranks, status); }
void RankJob::abort(int status) {
  parts_->ranks->abort(status);
  std::abort();  // not reached
}

std::shared_ptr<const RowShare> own_share_of_rows(const OptionValues& values, const RankJob* ranks) {
  return ranks ? share_of_rows(values, ranks->rank(), ranks->size()) : nullptr;
}

void tell_model(RankJob& ranks, const OptionValues& values, const std::string& model_path) {
  if (ranks.leader()) ranks.leader()->prepare(values, model_path);
}

}  // namespace sgmcmc
