// SPDX-License-Identifier: Apache-2.0
#include "mcp/calls/calls.h"

#include <algorithm>

namespace stitch::mcp {
namespace {

constexpr size_t kMaxUnderWay = 16;
constexpr size_t kMaxKept = 64;

}  // namespace

Calls::~Calls() { stop_all(); }

std::shared_ptr<Call> Calls::begin(const std::string& tool, const Json& arguments) {
  std::shared_ptr<Call> gone;  // ended outside of the lock
  const std::lock_guard lock(mutex_);
  const auto under_way = std::count_if(calls_.begin(), calls_.end(), [](const auto& call) { return !call->is_done(); });
  if (static_cast<size_t>(under_way) >= kMaxUnderWay) {
    return nullptr;
  }
  if (calls_.size() >= kMaxKept) {
    const auto oldest = std::find_if(calls_.begin(), calls_.end(), [](const auto& call) { return call->is_done(); });
    gone = *oldest;
    calls_.erase(oldest);
  }
  calls_.push_back(std::make_shared<Call>("job-" + std::to_string(++last_), tool, arguments, run_, gate_));
  return calls_.back();
}

std::shared_ptr<Call> Calls::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const auto& call) { return call->id() == id; });
  return found != calls_.end() ? *found : nullptr;
}

std::string Calls::ids() {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const std::shared_ptr<Call>& call : calls_) {
    text += (text.empty() ? "" : ", ") + call->id();
  }
  return text;
}

void Calls::stop_all() {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Call>& call : calls_) {
    call->stop();
  }
}

}  // namespace stitch::mcp
