// SPDX-License-Identifier: Apache-2.0
#include "mcp/calls/call.h"

namespace stitch::mcp {

Call::Call(std::string id, std::string tool, Json arguments, const RunTool& run, Gate& gate)
    : id_(std::move(id)),
      tool_(std::move(tool)),
      progress_("waits for other calls to end"),
      thread_([this, &run, &gate, arguments = std::move(arguments)] { work(run, gate, arguments); }) {}

Call::~Call() {
  stop();
  thread_.join();
}

void Call::work(const RunTool& run, Gate& gate, const Json& arguments) {
  const Gate::Pass pass = gate.enter(stop_);
  const auto tell = [this](const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    progress_ = sentence;
  };
  tell("begins");
  Result<tools::ToolReply> result = stop_.is_wished()
                                        ? Result<tools::ToolReply>(failure(ErrorCode::kInterrupted, "it was cancelled"))
                                        : run(tool_, arguments, tell, stop_);
  const std::lock_guard lock(mutex_);
  result_.emplace(std::move(result));
  ended_ = Clock::now();
  changed_.notify_all();
}

bool Call::wait_until(Clock::time_point deadline, const std::atomic<bool>& given_up) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return result_.has_value() || given_up; });
  return result_.has_value();
}

void Call::nudge() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool Call::is_done() {
  const std::lock_guard lock(mutex_);
  return result_.has_value();
}

std::string Call::progress() {
  const std::lock_guard lock(mutex_);
  return progress_;
}

double Call::seconds() {
  const std::lock_guard lock(mutex_);
  return std::chrono::duration<double>((result_.has_value() ? ended_ : Clock::now()) - begun_).count();
}

void Call::stop() { stop_.wish(); }

}  // namespace stitch::mcp
