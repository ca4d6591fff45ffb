// SPDX-License-Identifier: Apache-2.0
#include "cli/output/reporter.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>

#include "base/json/json.h"

namespace stitch::cli {
namespace {

std::string one_line(const Json& object) {
  // Bytes that are no UTF-8 (a path, a compiler's message) must not cost the user the whole answer.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string without_stop(std::string sentence) {
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == ' ')) {
    sentence.pop_back();
  }
  return sentence;
}

// "Name a file" from "name a file": sentences come from many places, some with and some without a capital and a stop.
std::string as_sentence(const std::string& text) {
  std::string sentence = without_stop(text) + ".";
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

}  // namespace

void Reporter::progress(const std::string& stage, const std::string& sentence) {
  if (listener_) {
    listener_(stage, sentence);
  }
  if (quiet_) {
    return;
  }
  constexpr double kLeastSecondsBetween = 1.0;
  const std::lock_guard lock(mutex_);
  const double now = elapsed_seconds();
  if (stage == last_stage_ && now - last_progress_seconds_ < kLeastSecondsBetween) {
    return;
  }
  last_stage_ = stage;
  last_progress_seconds_ = now;
  fmt::print(stderr, "  {:<9} {}  ({:.1f} s)\n", stage, sentence, now);
}

void Reporter::result(const Json& object, const std::string& text) {
  const std::lock_guard lock(mutex_);
  fmt::print("{}\n", json_ ? one_line(object) : text);
  std::fflush(stdout);
}

void Reporter::error(const Error& error, Json object) {
  const std::lock_guard lock(mutex_);
  if (json_) {
    object["error"] = to_json(error);
    fmt::print("{}\n", one_line(object));
    std::fflush(stdout);
  }
  fmt::print(stderr, "stitchcuda: {}\n", error_text(error));
}

void Reporter::listen(std::function<void(const std::string&, const std::string&)> listener) {
  listener_ = std::move(listener);
}

std::string error_text(const Error& error) {
  std::string text = without_stop(error.sentence);
  if (!error.place.empty() && error.sentence.find(error.place) == std::string::npos) {
    text += fmt::format(" ({})", error.place);
  }
  text += ".";
  if (!error.remedy.empty()) {
    text += " " + as_sentence(error.remedy);
  }
  return text;
}

double Reporter::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

Json to_json(const Error& error) {
  return Json{
      {"code", to_string(error.code)}, {"sentence", error.sentence}, {"place", error.place}, {"remedy", error.remedy}};
}

}  // namespace stitch::cli
