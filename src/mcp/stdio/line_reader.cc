// SPDX-License-Identifier: Apache-2.0
#include "mcp/stdio/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace stitch::mcp {

std::optional<LineReader::Line> LineReader::take_line() {
  const size_t end = received_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = received_.size();
    if (skips_ || received_.size() > max_bytes_) {
      skips_ = true;
      received_.clear();
      searched_ = 0;
    }
    return std::nullopt;
  }
  Line line;
  line.was_too_long = skips_ || end > max_bytes_;
  if (!line.was_too_long) {
    line.text = received_.substr(0, end > 0 && received_[end - 1] == '\r' ? end - 1 : end);
  }
  received_.erase(0, end + 1);
  searched_ = 0;
  skips_ = false;
  return line;
}

bool LineReader::read_more(const Stop& stop) {
  std::array<char, 65536> bytes;
  while (!stop.is_wished()) {
    std::array<pollfd, 2> polled = {pollfd{.fd = input_, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = stop.descriptor(), .events = POLLIN, .revents = 0}};
    constexpr int kLookMs = 1000;
    ::poll(polled.data(), polled.size(), kLookMs);
    if (polled[0].revents == 0) {
      continue;
    }
    const ssize_t count = ::read(input_, bytes.data(), bytes.size());
    if (count > 0) {
      received_.append(bytes.data(), static_cast<size_t>(count));
      return true;
    }
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      return false;
    }
  }
  return false;
}

std::optional<LineReader::Line> LineReader::next(const Stop& stop) {
  while (true) {
    if (std::optional<Line> line = take_line()) {
      return line;
    }
    if (!read_more(stop)) {
      return std::nullopt;
    }
  }
}

}  // namespace stitch::mcp
