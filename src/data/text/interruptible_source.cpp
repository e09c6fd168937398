// Checks the flag before each read.
#include "data/text/interruptible_source.hpp"

#include "base/interrupt.hpp"

#include <algorithm>
#include <utility>

namespace sgmcmc {
namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20;

class InterruptibleSource final : public ByteSource {
 public:
  InterruptibleSource(std::unique_ptr<ByteSource> source, const std::atomic<bool>* interrupt)
      : source_(std::move(source)), interrupt_(interrupt) {}
  std::size_t read(std::span<char> target) override {
    throw_if_interrupted(interrupt_);
    return source_->read(target.first(std::min(target.size(), most_bytes)));
  }
  std::optional<std::uint64_t> remaining() const override { return source_->remaining(); }

 private:
  std::unique_ptr<ByteSource> source_;
  const std::atomic<bool>* interrupt_;
};

}  // namespace

std::unique_ptr<ByteSource> interruptible(std::unique_ptr<ByteSource> source, const std::atomic<bool>* interrupt) {
  if (!interrupt) return source;
  return std::make_unique<InterruptibleSource>(std::move(source), interrupt);
}

}  // namespace sgmcmc
