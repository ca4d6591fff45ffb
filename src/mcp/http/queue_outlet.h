// SPDX-License-Identifier: Apache-2.0
// Answers to one request over HTTP, on their way to the thread that writes its response.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "mcp/session/outlet.h"

namespace stitch::mcp {

class AnswerQueue {
 public:
  void push(const Json& message);
  void close();

  struct Taken {
    std::optional<Json> message;
    bool is_closed = false;  // nothing more will come
  };
  // Waits at most so long; neither: it was in vain so far.
  Taken take(std::chrono::milliseconds patience);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Json> messages_;
  bool is_closed_ = false;
};

// Closes the queue once the session lets go of it.
class QueueOutlet final : public Outlet {
 public:
  explicit QueueOutlet(std::shared_ptr<AnswerQueue> queue) : queue_(std::move(queue)) {}
  ~QueueOutlet() override { queue_->close(); }
  void send(const Json& message) override { queue_->push(message); }

 private:
  std::shared_ptr<AnswerQueue> queue_;  // shared with the thread that writes
};

}  // namespace stitch::mcp
