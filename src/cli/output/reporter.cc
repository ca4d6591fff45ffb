// SPDX-License-Identifier: Apache-2.0
#include "cli/output/reporter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <utility>

#include "base/json/json.h"

namespace stitch::cli {
namespace {

std::string one_line(const Json& object) {
  // Bytes that are no UTF-8 (a path, a compiler's message) must not cost the user the whole answer.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string without_stop(std::string message) {
  while (!message.empty() && (message.back() == '.' || message.back() == ' ')) {
    message.pop_back();
  }
  return message;
}

// "Name a file" from "name a file": sentences come from many places, some with and some without a capital and a stop.
std::string as_sentence(const std::string& text) {
  std::string message = without_stop(text) + ".";
  message.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(message.front())));
  return message;
}

}  // namespace

Reporter::Reporter(bool json, bool quiet, ColorChoice color)
    : json_(json), quiet_(quiet), style_(style_for(STDERR_FILENO, color)), started_(std::chrono::steady_clock::now()) {
  if (!quiet_ && can_redraw(STDERR_FILENO)) {
    live_ = std::make_unique<LiveDisplay>(STDERR_FILENO, style_, [this] { return elapsed_seconds(); });
  }
}

int Reporter::begin(const std::string& stage, const std::string& message) {
  tell(stage, message);
  return live_ != nullptr ? live_->begin(stage, message) : 0;
}

void Reporter::say(int id, const std::string& stage, const std::string& message) {
  tell(stage, message);
  if (live_ != nullptr) {
    live_->say(id, message);
  } else {
    line_of_progress(stage, message);
  }
}

void Reporter::hint(int id, const std::string& stage, const std::string& message) {
  tell(stage, message);
  if (live_ != nullptr) {
    live_->say(id, message);
  }
}

void Reporter::end(int id) {
  if (live_ != nullptr) {
    live_->end(id);
  }
}

void Reporter::fact(const std::string& stage, const std::string& message) {
  tell(stage, message);
  if (live_ != nullptr) {
    live_->fact(stage, message);
  } else {
    const std::lock_guard lock(mutex_);
    print_line(stage, message);
  }
}

void Reporter::built(DeviceKind device, size_t done, size_t total) {
  if (listener_.has_value()) {
    listener_->built(device, done, total);
  }
}

void Reporter::installed() {
  if (listener_.has_value()) {
    listener_->installed();
  }
}

void Reporter::tell(const std::string& stage, const std::string& message) {
  if (listener_.has_value()) {
    listener_->said(stage, message);
  }
}

void Reporter::line_of_progress(const std::string& stage, const std::string& message) {
  constexpr double kMinSecondsBetween = 1.0;
  const std::lock_guard lock(mutex_);
  const bool too_soon = stage == last_stage_ && elapsed_seconds() - last_line_seconds_ < kMinSecondsBetween;
  if (!too_soon) {
    print_line(stage, message);
  }
}

void Reporter::print_line(const std::string& stage, const std::string& message) {
  if (quiet_ || hushed_) {
    return;
  }
  last_stage_ = stage;
  last_line_seconds_ = elapsed_seconds();
  fmt::print(stderr, "{}\n", fact_line(stage, message, last_line_seconds_, 0, style_));
}

void Reporter::result(const Json& object, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (live_ != nullptr) {
    live_->close();
  }
  if (!hushed_) {
    fmt::print("{}\n", json_ ? one_line(object) : text);
    std::fflush(stdout);
  }
}

void Reporter::error(const Error& error, Json object) {
  const std::lock_guard lock(mutex_);
  if (!hushed_) {
    print_error(error, std::move(object));
  }
}

void Reporter::hush() {
  const std::lock_guard lock(mutex_);
  hushed_ = true;
  if (live_ != nullptr) {
    live_->close_for_interrupt();
  }
}

void Reporter::last_word(const Error& error, Json object) {
  const std::lock_guard lock(mutex_);
  print_error(error, std::move(object));
}

void Reporter::print_error(const Error& error, Json object) {
  if (live_ != nullptr) {
    live_->close();
  }
  if (json_) {
    object["error"] = to_json(error);
    fmt::print("{}\n", one_line(object));
    std::fflush(stdout);
  }
  fmt::print(stderr, "{} {}\n", style_.bad("stitchcuda:"), error_text(error));
}

void Reporter::listen(Listener listener) { listener_ = std::move(listener); }

std::string error_text(const Error& error) {
  std::string text = without_stop(error.message);
  if (!error.location.empty() && error.message.find(error.location) == std::string::npos) {
    text += fmt::format(" ({})", error.location);
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
  return Json{{"code", to_string(error.code)},
              {"sentence", error.message},
              {"place", error.location},
              {"remedy", error.remedy}};
}

}  // namespace stitch::cli
