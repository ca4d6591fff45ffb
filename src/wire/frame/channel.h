// SPDX-License-Identifier: Apache-2.0
// Frames over one end of a Unix stream socket pair.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "wire/frame/frame.h"

namespace stitch::wire {

using Clock = std::chrono::steady_clock;

class Channel {
 public:
  explicit Channel(Descriptor socket);
  // Two connected ends, both close-on-exec.
  static Result<std::pair<Descriptor, Descriptor>> make_pair();

  int descriptor() const { return socket_.get(); }

  // kTimeout when the other end does not take it in time, kEnvironment when it is gone.
  Result<void> send(const Frame& frame, Clock::time_point deadline);
  // Takes what has arrived, without waiting: a frame if one is whole, else nothing. A malformed one (kFileInvalid) or
  // the other end's departure (kEnvironment) ends the channel: every later call fails the same way.
  Result<std::optional<Frame>> try_receive();
  // Waits for a whole frame.
  Result<Frame> receive(Clock::time_point deadline);

 private:
  Result<bool> read_some();
  Result<std::optional<Frame>> next_frame();
  Unexpected broken(Error error);

  Descriptor socket_;
  std::string received_;
  std::deque<Descriptor> received_descriptors_;
  std::optional<Error> broken_;
};

// Milliseconds until `deadline` for poll(): at least 0, at most `max_ms`.
int poll_timeout_ms(Clock::time_point deadline, int max_ms);

}  // namespace stitch::wire
