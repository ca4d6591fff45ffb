// SPDX-License-Identifier: Apache-2.0
#include "mcp/http/queue_outlet.h"

namespace stitch::mcp {

void AnswerQueue::push(const Json& message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(message);
  changed_.notify_all();
}

void AnswerQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

AnswerQueue::Taken AnswerQueue::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return is_closed_ || !messages_.empty(); });
  Taken taken;
  if (!messages_.empty()) {
    taken.message = std::move(messages_.front());
    messages_.pop_front();
  } else {
    taken.is_closed = is_closed_;
  }
  return taken;
}

}  // namespace stitch::mcp
