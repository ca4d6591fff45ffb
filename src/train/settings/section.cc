// SPDX-License-Identifier: Apache-2.0
#include "train/settings/section.h"

#include <algorithm>
#include <cmath>

#include "base/json/depth.h"
#include "base/json/json.h"
#include "base/text/edit_distance.h"
#include "base/text/printable.h"

namespace stitch::train {
namespace {

constexpr int kMaxDepth = 16;
constexpr size_t kMaxShown = 60;

// Comments become spaces, so that the parser's lines and columns stay those of the file.
std::string without_comments(std::string_view text) {
  std::string plain(text);
  bool in_string = false;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (in_string) {
      if (plain[i] == '\\') {
        ++i;
      } else if (plain[i] == '"') {
        in_string = false;
      }
    } else if (plain[i] == '"') {
      in_string = true;
    } else if (plain[i] == '/' && i + 1 < plain.size() && (plain[i + 1] == '/' || plain[i + 1] == '*')) {
      const bool is_line = plain[i + 1] == '/';
      const size_t end = is_line ? plain.find('\n', i) : plain.find("*/", i + 2);
      const size_t stop = std::min(end == std::string::npos ? plain.size() : end + (is_line ? 0 : 2), plain.size());
      std::replace_if(
          plain.begin() + static_cast<int64_t>(i), plain.begin() + static_cast<int64_t>(stop),
          [](char c) { return c != '\n'; }, ' ');
      i = stop == 0 ? 0 : stop - 1;
    }
  }
  return plain;
}

std::string number_text(double value) {
  std::string text = Json(value).dump();
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<const Json>> parse_commented_json(std::string_view text, const std::string& path) {
  const std::string plain = without_comments(text);
  if (is_nested_deeper(plain, kMaxDepth)) {
    return failure(ErrorCode::kUsage, "the configuration is nested too deeply", path, "write it as the manual shows");
  }
  STITCH_ASSIGN(Json json, parse_json(plain, path));
  if (!json.is_object()) {
    return failure(ErrorCode::kUsage, "the configuration is no object", path, "begin it with {");
  }
  return std::unique_ptr<const Json>(std::make_unique<Json>(std::move(json)));
}

Section::Section(const Json* object, std::string where)
    : object_(object), where_(std::move(where)), resolved_(std::make_shared<Json>(Json::object())) {}

void Section::wrong(const char* key, const std::string& what) {
  if (error_ == nullptr) {
    const std::string name = name_.empty() ? key : name_ + "." + key;
    error_ = std::make_unique<Error>(Error{ErrorCode::kUsage, "'" + name + "' " + what, where_, "change it there"});
  }
}

void Section::refuse(const char* key, const std::string& why) { wrong(key, why); }

const Json* Section::find(const char* key) {
  known_.emplace_back(key);
  if (object_ == nullptr) {
    return nullptr;
  }
  const auto found = object_->find(key);
  return found == object_->end() ? nullptr : &*found;
}

void Section::record(const char* key, const Json& value) { (*resolved_)[key] = value; }

bool Section::has(const char* key) { return object_ != nullptr && object_->contains(key); }

void Section::require(const char* key) {
  if (!has(key)) {
    wrong(key, "is missing");
  }
}

void Section::read(const char* key, int64_t& value, int64_t least, int64_t most) {
  if (const Json* found = find(key)) {
    const bool fits = found->is_number_integer() && *found >= least && *found <= most;
    if (fits) {
      value = found->get<int64_t>();
    } else {
      wrong(key, "is no whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
  }
  record(key, value);
}

void Section::read(const char* key, double& value, double least, double most) {
  if (const Json* found = find(key)) {
    const bool fits = found->is_number() && *found >= least && *found <= most;
    if (fits) {
      value = found->get<double>();
    } else {
      wrong(key, "is no number from " + number_text(least) + " to " + number_text(most));
    }
  }
  record(key, value);
}

void Section::read(const char* key, bool& value) {
  if (const Json* found = find(key)) {
    if (found->is_boolean()) {
      value = found->get<bool>();
    } else {
      wrong(key, "is neither true nor false");
    }
  }
  record(key, value);
}

void Section::read(const char* key, std::string& value) {
  if (const Json* found = find(key)) {
    if (found->is_string()) {
      value = found->get<std::string>();
    } else {
      wrong(key, "is no text");
    }
  }
  record(key, value);
}

void Section::read(const char* key, std::vector<std::string>& values) {
  if (const Json* found = find(key)) {
    const auto is_text = [](const Json& each) { return each.is_string(); };
    if (found->is_array() && std::all_of(found->begin(), found->end(), is_text)) {
      values = found->get<std::vector<std::string>>();
    } else {
      wrong(key, "is no list of texts");
    }
  }
  record(key, values);
}

void Section::read(const char* key, std::vector<int64_t>& values) {
  if (const Json* found = find(key)) {
    const auto is_number = [](const Json& each) { return each.is_number_integer(); };
    if (found->is_array() && std::all_of(found->begin(), found->end(), is_number)) {
      values = found->get<std::vector<int64_t>>();
    } else {
      wrong(key, "is no list of whole numbers");
    }
  }
  record(key, values);
}

void Section::read(const char* key, size_t& position, const std::vector<std::string>& words) {
  if (const Json* found = find(key)) {
    const auto at = found->is_string() ? std::find(words.begin(), words.end(), found->get<std::string>()) : words.end();
    if (at == words.end()) {
      wrong(key, "is none of " + joined(words));
    } else {
      position = static_cast<size_t>(at - words.begin());
    }
  }
  record(key, words[position]);
}

Section Section::child(const char* key) {
  const Json* found = find(key);
  if (found != nullptr && !found->is_object()) {
    wrong(key, "is no object");
    found = nullptr;
  }
  Section child(found, where_);
  child.name_ = name_.empty() ? key : name_ + "." + key;
  return child;
}

void Section::add(Section child) {
  const auto checked = child.finish();
  if (!checked.has_value() && error_ == nullptr) {
    error_ = std::make_unique<Error>(checked.error());
  }
  const std::string key = child.name_.substr(child.name_.rfind('.') + 1);
  record(key.c_str(), child.resolved());
}

std::vector<Section> Section::children(const char* key) {
  std::vector<Section> children;
  const Json* found = find(key);
  if (found == nullptr) {
    return children;
  }
  const bool fits =
      found->is_array() && std::all_of(found->begin(), found->end(), [](const Json& each) { return each.is_object(); });
  if (!fits) {
    wrong(key, "is no list of objects");
    return children;
  }
  for (const Json& each : *found) {
    Section child(&each, where_);
    child.name_ = (name_.empty() ? key : name_ + "." + key) + "[" + std::to_string(children.size()) + "]";
    children.push_back(std::move(child));
  }
  return children;
}

void Section::add_all(const char* key, std::vector<Section> children) {
  Json list = Json::array();
  for (Section& child : children) {
    const auto checked = child.finish();
    if (!checked.has_value() && error_ == nullptr) {
      error_ = std::make_unique<Error>(checked.error());
    }
    list.push_back(child.resolved());
  }
  record(key, list);
}

Result<void> Section::finish() {
  if (error_ == nullptr && object_ != nullptr) {
    for (const auto& [key, value] : object_->items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
        const auto nearest = std::min_element(known_.begin(), known_.end(), [&key = key](const auto& a, const auto& b) {
          return edit_distance(key, a) < edit_distance(key, b);
        });
        const std::string hint = nearest == known_.end() ? "" : " (did you mean '" + *nearest + "'?)";
        wrong(printable_line(key, kMaxShown).c_str(), "is no key that there is" + hint);
        break;
      }
    }
  }
  return error_ == nullptr ? Result<void>() : Result<void>(failure(*error_));
}

Json Section::resolved() const { return *resolved_; }

}  // namespace stitch::train
