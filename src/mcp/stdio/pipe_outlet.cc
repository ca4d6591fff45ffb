// SPDX-License-Identifier: Apache-2.0
#include "mcp/stdio/pipe_outlet.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "mcp/protocol/message.h"

namespace stitch::mcp {

// A pipe that says it has room takes PIPE_BUF bytes without blocking, so that a reader who does not read holds up
// nobody who wants to end this. False when there is no use in going on.
bool PipeOutlet::write_some(std::string_view& text) {
  std::array<pollfd, 2> polled = {pollfd{.fd = output_, .events = POLLOUT, .revents = 0},
                                  pollfd{.fd = broken_.descriptor(), .events = POLLIN, .revents = 0}};
  constexpr int kLookMs = 1000;
  ::poll(polled.data(), polled.size(), kLookMs);
  if (broken_.is_wished()) {
    return false;
  }
  if (polled[0].revents == 0) {
    return true;
  }
  const ssize_t count = ::write(output_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
  if (count > 0) {
    text.remove_prefix(static_cast<size_t>(count));
  }
  return count > 0 || errno == EINTR || errno == EAGAIN;
}

void PipeOutlet::send(const Json& message) {
  const std::string line = line_of(message) + "\n";
  const std::lock_guard lock(mutex_);
  std::string_view left = line;
  while (!left.empty()) {
    if (!write_some(left)) {
      broken_.wish();
      return;
    }
  }
}

}  // namespace stitch::mcp
