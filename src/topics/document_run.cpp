// The loop of a run over documents.
#include "topics/document_run.hpp"

namespace sgmcmc {

double DocumentRun::seconds() const {
  return earlier_seconds_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

void DocumentRun::prepare(const std::function<Findings()>& look, const std::function<void(const Findings&)>& know) {
  if (checkpoints_.resumes()) {
    if (const auto known = checkpoints_.read_findings()) return know(*known);
  } else if (checkpoints_.saves()) {
    checkpoints_.clear();
  }
  const Findings found = look();
  saves_ = !interrupt_wanted();
  if (checkpoints_.saves() && saves_) checkpoints_.write_findings(found);
}

void DocumentRun::go(const Parts& parts) {
  const auto visit = [&](StateVisitor& visitor) {
    double seconds = this->seconds();
    visitor.visit("iterations", done_);
    visitor.visit("averaged", averaged_);
    visitor.visit("seconds", seconds);
    earlier_seconds_ += seconds - this->seconds();
    parts.visit(visitor);
  };
  const auto evaluate = [&](bool averaged) {
    parts.evaluate(done_, averaged);
    if (averaged) ++averaged_;
  };
  chain_.restore(visit);
  while (done_ < iterations_) {
    parts.iterate(done_++);
    const bool last = done_ == iterations_;
    const bool planned = last || done_ % every_ == 0;
    interrupted_ = interrupt_wanted() && !last;
    if (planned) evaluate(done_ > warm_ || (last && averaged_ == 0));
    if (saves_) (last || interrupted_) ? chain_.save(done_, visit) : chain_.save_if_due(done_, visit);
    if (!interrupted_) continue;
    // Evaluated for the interrupt summary only; not saved.
    if (!planned || averaged_ == 0) evaluate(done_ > warm_ || averaged_ == 0);
    return;
  }
}

}  // namespace sgmcmc
