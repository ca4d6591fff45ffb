// SPDX-License-Identifier: Apache-2.0
#include "completions/request/body_reader.h"

#include <fmt/format.h>

#include "base/text/printable.h"

namespace stitch::completions {
namespace {

Unexpected refused(const std::string& sentence) { return failure(ErrorCode::kUsage, sentence); }

bool is_idle(const Json& value) {
  return (value.is_number() && value == 0) || (value.is_boolean() && value == false) ||
         (value.is_structured() && value.empty());
}

}  // namespace

const Json* BodyReader::find(const std::string& key) {
  known_.insert(key);
  const auto found = body_.is_object() ? body_.find(key) : body_.end();
  return found == body_.end() || found->is_null() ? nullptr : &*found;
}

void BodyReader::refuse(const std::string& sentence) {
  if (!wrong_.has_value()) {
    wrong_ = sentence;
  }
}

std::optional<double> BodyReader::number(const std::string& key, double least, double most) {
  const Json* found = find(key);
  if (found == nullptr) {
    return std::nullopt;
  }
  const double value = found->is_number() ? found->get<double>() : least - 1;
  if (!(value >= least && value <= most)) {
    refuse(fmt::format("'{}' has to be a number from {} to {}", key, least, most));
  }
  return value;
}

std::optional<int64_t> BodyReader::whole(const std::string& key, int64_t least, int64_t most) {
  const Json* found = find(key);
  if (found == nullptr) {
    return std::nullopt;
  }
  const bool is_huge = found->is_number_unsigned() && found->get<uint64_t>() > static_cast<uint64_t>(most);
  const int64_t value = found->is_number_integer() && !is_huge ? found->get<int64_t>() : least - 1;
  if (!(value >= least && value <= most)) {
    refuse(fmt::format("'{}' has to be a whole number from {} to {}", key, least, most));
  }
  return value;
}

bool BodyReader::flag(const std::string& key) {
  const Json* found = find(key);
  if (found != nullptr && !found->is_boolean()) {
    refuse(fmt::format("'{}' has to be true or false", key));
  }
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

std::string BodyReader::text(const std::string& key) {
  const Json* found = find(key);
  if (found != nullptr && !found->is_string()) {
    refuse(fmt::format("'{}' has to be a text", key));
  }
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

void BodyReader::only_idle(const std::string& key) {
  const Json* found = find(key);
  if (found != nullptr && !is_idle(*found)) {
    refuse(fmt::format("'{}' is not done here; leave it out", key));
  }
}

Result<void> BodyReader::finish() {
  if (!body_.is_object()) {
    return refused("the body has to be one JSON object");
  }
  if (wrong_.has_value()) {
    return refused(*wrong_);
  }
  for (const auto& [key, value] : body_.items()) {
    if (known_.count(key) == 0) {
      constexpr size_t kMostShown = 60;
      return refused(fmt::format("'{}' is not known here; leave it out", printable_line(key, kMostShown)));
    }
  }
  return {};
}

}  // namespace stitch::completions
