// Ratings: reading them, and those made by a program.
#include <sgmcmc/ratings.hpp>

#include "base/text.hpp"
#include "factors/ratings/rating_readers.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {

namespace {

Ratings read_into(const std::string& path, const RatingsOptions& options, std::shared_ptr<Ratings::Parts> parts) {
  Input input(path, open_file(path));
  read_ratings(input, options, *parts);
  if (options.with_values) refuse_duplicates(*parts, path);
  parts->entries.shrink_to_fit();
  return Ratings(std::move(parts));
}

}  // namespace

Ratings Ratings::read(const std::string& path, const RatingsOptions& options) {
  return read_into(path, options, std::make_shared<Parts>());
}

Ratings Ratings::read(const std::string& path, const RatingsOptions& options, const Ratings& known) {
  auto parts = std::make_shared<Parts>();
  parts->users = known.parts().users;
  parts->items = known.parts().items;
  return read_into(path, options, std::move(parts));
}

std::span<const Rating> Ratings::entries() const { return parts_->entries; }
std::uint32_t Ratings::users() const { return parts_->users.size(); }
std::uint32_t Ratings::items() const { return parts_->items.size(); }
std::string Ratings::user_name(std::uint32_t user) const { return parts_->users.name(user); }
std::string Ratings::item_name(std::uint32_t item) const { return parts_->items.name(item); }
std::optional<std::uint32_t> Ratings::find_user(std::string_view name) const { return parts_->users.find(name); }
std::optional<std::uint32_t> Ratings::find_item(std::string_view name) const { return parts_->items.find(name); }

Ratings::Builder::Builder(std::uint32_t users, std::uint32_t items) : made_(std::make_unique<Parts>()) {
  if (users == 0 || items == 0) throw DataError("ratings need at least one user and one item");
  made_->users = IdTable::identity(users);
  made_->items = IdTable::identity(items);
}
Ratings::Builder::~Builder() = default;

Ratings::Builder& Ratings::Builder::add(std::uint32_t user, std::uint32_t item, double value) {
  const auto where = [&] { return "rating " + std::to_string(made_->entries.size()); };
  if (user >= made_->users.size())
    throw DataError(where() + " is of user " + std::to_string(user) + "; users are below " +
                    std::to_string(made_->users.size()));
  if (item >= made_->items.size())
    throw DataError(where() + " is of item " + std::to_string(item) + "; items are below " +
                    std::to_string(made_->items.size()));
  const StoredRating stored = stored_rating(value);
  if (!stored.complaint.empty()) throw DataError(where() + " is " + formatted("%g", value) + "; " + stored.complaint);
  made_->precision.add(value);
  made_->entries.push_back({user, item, stored.value});
  return *this;
}

Ratings Ratings::Builder::build() {
  if (made_->entries.empty()) throw DataError("there are no ratings");
  refuse_duplicates(*made_, "");
  made_->precision.finish("");
  return Ratings(std::shared_ptr<const Parts>(std::move(made_)));
}

}  // namespace sgmcmc
