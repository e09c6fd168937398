// Fuzz target: any bytes are ratings or an error; ids, names and values are in range and come back from their names.
#include "factors/ratings/rating_readers.hpp"
#include "outcome.hpp"

#include <cmath>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc;
  if (size == 0) return 0;
  const std::span<const char> text(reinterpret_cast<const char*>(data) + 1, size - 1);
  RatingsOptions options;
  options.format = static_cast<RatingsFormat>(data[0] % 4);
  options.with_values = data[0] % 8 < 4;
  if (data[0] % 16 >= 8) options.columns = "2,1,3";
  const auto read = [&] {
    return fuzz::outcome_of([&] {
      Ratings::Parts parts;
      Input input("ratings", text);
      read_ratings(input, options, parts);
      if (options.with_values) refuse_duplicates(parts, "ratings");
      std::string result;
      for (std::uint64_t e = 0; e < parts.entries.size(); ++e) {
        const Rating& rating = parts.entries[e];
        if (rating.user >= parts.users.size() || rating.item >= parts.items.size() || !std::isfinite(rating.value))
          std::abort();
        const std::string user = parts.users.name(rating.user), item = parts.items.name(rating.item);
        if (parts.users.find(user) != rating.user || parts.items.find(item) != rating.item) std::abort();
        if (parts.line_of(e) == 0) std::abort();
        result += user + ":" + item + "=" + std::to_string(rating.value) + " ";
      }
      return result;
    });
  };
  fuzz::expect_same(read(), read());
  return 0;
}
