// SPDX-License-Identifier: Apache-2.0
#include "base/json/large_json.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/json/depth.h"
#include "base/text/printable.h"

namespace stitch {
namespace {

constexpr int kMaxLargeJsonDepth = 32;
constexpr size_t kMaxMembers = 1000;  // of an object that is kept
constexpr size_t kMaxShownKey = 80;

// What nlohmann's parser tells of a text, made into values again. An object or array that is open lies on the stack; a
// member of a large object begins a value of its own there.
class LargeReader final : public nlohmann::json_sax<Json> {
 public:
  LargeReader(std::string what, std::span<const LargeObject> large) : what_(std::move(what)), large_(large) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return refuse("holds binary data"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return refuse("is not valid JSON (truncated or altered?)");
  }

  bool key(string_t& name) override {
    Open& object = stack_.back();
    if (!object.keys.insert(name).second) {
      return refuse(fmt::format("names \"{}\" twice", printable_line(name, kMaxShownKey)));
    }
    if (object.large == nullptr && object.keys.size() > kMaxMembers) {
      return refuse(fmt::format("has an object of more than {} members", kMaxMembers));
    }
    object.key = std::move(name);
    return true;
  }

  Result<Json> take() && {
    if (error_.has_value()) {
      return failure(std::move(*error_));
    }
    return std::move(root_);
  }

 private:
  struct Open {
    Json value;
    std::string path;
    std::string key;  // the last one
    std::unordered_set<std::string> keys;
    const LargeObject* large = nullptr;
  };

  bool refuse(const std::string& why) {
    error_ = Error{ErrorCode::kFileInvalid, fmt::format("{} {}", what_, why), "", "download or write the file again"};
    return false;
  }

  std::string path_of_next() const {
    if (stack_.empty() || !stack_.back().value.is_object()) {
      return stack_.empty() ? "" : stack_.back().path + "[]";
    }
    const Open& object = stack_.back();
    return object.path.empty() ? object.key : object.path + "." + object.key;
  }

  bool open(Json value) {
    Open fresh{std::move(value), path_of_next(), {}, {}, nullptr};
    for (const LargeObject& each : large_) {
      if (each.path == fresh.path && fresh.value.is_object()) {
        fresh.large = &each;
      }
    }
    stack_.push_back(std::move(fresh));
    return true;
  }

  bool close() {
    Json value = std::move(stack_.back().value);
    stack_.pop_back();
    return put(std::move(value));
  }

  bool put(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return root_.is_object() || refuse("is not a JSON object");
    }
    Open& parent = stack_.back();
    if (parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else if (parent.large == nullptr) {
      parent.value[parent.key] = std::move(value);
    } else if (Result<void> taken = parent.large->on_member(parent.key, value); !taken.has_value()) {
      error_ = std::move(taken).error();
      return false;
    }
    return true;
  }

  std::string what_;
  std::span<const LargeObject> large_;
  std::vector<Open> stack_;
  Json root_;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> parse_large_json(std::string_view text, const std::string& what, std::span<const LargeObject> large) {
  if (is_nested_deeper(text, kMaxLargeJsonDepth)) {
    return failure(ErrorCode::kFileInvalid, what + " is nested too deeply", "", "download or write the file again");
  }
  LargeReader reader(what, large);
  Json::sax_parse(text, &reader);
  return std::move(reader).take();
}

}  // namespace stitch
