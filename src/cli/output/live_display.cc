// SPDX-License-Identifier: Apache-2.0
#include "cli/output/live_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/text/columns.h"

namespace stitch::cli {
namespace {

constexpr auto kBetweenTicks = std::chrono::milliseconds(100);
constexpr const char* kClearLine = "\x1b[K";

// Clears the cursor's line and `rows` below it, line by line: some terminals keep what is cleared as a whole.
std::string cleared(int rows) {
  std::string text = kClearLine;
  for (int row = 0; row < rows; ++row) {
    text += std::string("\n") + kClearLine;
  }
  return rows > 0 ? text + "\x1b[" + std::to_string(rows) + "A" : text;
}

// At once: two writes could show half a drawing.
void write_whole(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return;  // the terminal is gone
    }
    text.remove_prefix(written > 0 ? static_cast<size_t>(written) : 0);
  }
}

}  // namespace

LiveDisplay::LiveDisplay(int descriptor, Style style, std::function<double()> clock)
    : descriptor_(descriptor), style_(style), clock_(std::move(clock)) {}

LiveDisplay::~LiveDisplay() {
  close();
  if (ticking_.joinable()) {
    ticking_.join();
  }
}

LiveDisplay::Size LiveDisplay::size() const {
  winsize asked{};
  if (::ioctl(descriptor_, TIOCGWINSZ, &asked) != 0 || asked.ws_col == 0 || asked.ws_row == 0) {
    return {};
  }
  return {asked.ws_col, asked.ws_row};
}

void LiveDisplay::fact(const std::string& stage, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (!closed_) {
    draw(fact_line(stage, message, clock_(), size().columns - 1, style_) + kClearLine + "\n");
  }
}

int LiveDisplay::begin(const std::string& stage, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return 0;
  }
  waiting_.push_back({next_id_, stage, message, clock_()});
  if (!ticking_.joinable()) {
    ticking_ = std::thread([this] { tick_until_closed(); });
  }
  draw("");
  return next_id_++;
}

void LiveDisplay::say(int id, const std::string& message) {
  const std::lock_guard lock(mutex_);
  for (Waiting& waiting : waiting_) {
    if (waiting.id == id) {
      waiting.message = message;  // drawn by the next tick: many may come at once
    }
  }
}

void LiveDisplay::end(int id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.id == id; });
  if (!closed_) {
    draw("");
  }
}

void LiveDisplay::close() {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return;
  }
  waiting_.clear();
  draw("");
  closed_ = true;
  closing_.notify_all();
}

void LiveDisplay::close_for_interrupt() {
  close();
  const std::lock_guard lock(mutex_);
  const pid_t foreground = ::tcgetpgrp(descriptor_);
  if (foreground < 0 || foreground == ::getpgrp()) {
    write_whole(descriptor_, std::string("\r") + kClearLine);
  }
}

void LiveDisplay::tick_until_closed() {
  std::unique_lock lock(mutex_);
  while (!closing_.wait_for(lock, kBetweenTicks, [this] { return closed_; })) {
    ++tick_;
    if (!waiting_.empty()) {
      draw("");
    }
  }
}

// The cursor goes to the first of our lines; what a narrower terminal made of them goes with them.
std::string LiveDisplay::taken_back(const Size& size) {
  const int rows = rows_of(widths_, size.columns);
  widths_.clear();
  return rows == 0 ? "\r" : "\r\x1b[" + std::to_string(rows) + "A";
}

std::string LiveDisplay::drawn(const Size& size) {
  // A line as wide as the terminal would break on some; the last row is the cursor's.
  const auto most = static_cast<size_t>(std::max(size.rows - 1, 0));
  std::string text;
  for (size_t i = waiting_.size() - std::min(waiting_.size(), most); i < waiting_.size(); ++i) {
    const double now = clock_();
    text += waiting_line(waiting_[i], now, tick_, size.columns - 1, style_) + kClearLine + "\n";
    widths_.push_back(
        display_columns(waiting_line(waiting_[i], now, tick_, size.columns - 1, {false, style_.unicode})));
  }
  return text;
}

// Not into the foreground of another job: the shell's lines are there now.
void LiveDisplay::draw(const std::string& facts) {
  const pid_t foreground = ::tcgetpgrp(descriptor_);
  if (closed_ || (facts.empty() && waiting_.empty() && widths_.empty())) {
    return;
  }
  if (foreground >= 0 && foreground != ::getpgrp()) {
    widths_.clear();
    write_whole(descriptor_, facts);
    return;
  }
  const Size now = size();
  const int before = rows_of(widths_, now.columns);
  std::string text = taken_back(now);
  text += facts;
  text += drawn(now);
  const auto after = std::count(facts.begin(), facts.end(), '\n') + static_cast<int>(widths_.size());
  text += cleared(before - static_cast<int>(after));
  write_whole(descriptor_, text);
}

}  // namespace stitch::cli
