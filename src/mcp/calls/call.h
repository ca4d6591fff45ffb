// SPDX-License-Identifier: Apache-2.0
// One call of a tool under way, on a thread of its own: several may wait for it, look how far it is, or end it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/process/stop.h"
#include "mcp/calls/gate.h"
#include "tools/spec/tool.h"

namespace stitch::mcp {

using Clock = std::chrono::steady_clock;
using TellProgress = std::function<void(const std::string& sentence)>;
// Runs a tool until it is done or the stop is wished for (tools/process/tool_process.h; in tests something quicker).
using RunTool = std::function<Result<tools::ToolReply>(const std::string& tool, const Json& arguments,
                                                       const TellProgress& tell, const Stop& stop)>;

class Call {
 public:
  // Begins once the gate lets it; all that is borrowed must outlive it.
  Call(std::string id, std::string tool, Json arguments, const RunTool& run, Gate& gate);
  ~Call();  // ends it

  const std::string& id() const { return id_; }
  const std::string& tool() const { return tool_; }
  // Whether it is done, after waiting for that until `deadline` or until `given_up` holds (then call nudge()).
  bool wait_until(Clock::time_point deadline, const std::atomic<bool>& given_up);
  void nudge();
  bool is_done();
  // Of one that is done.
  const Result<tools::ToolReply>& result() const { return *result_; }
  // "build: 3 of 9 files", the last that was said.
  std::string progress();
  double seconds();
  void stop();

 private:
  void work(const RunTool& run, Gate& gate, const Json& arguments);

  const std::string id_;
  const std::string tool_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point ended_{};
  Stop stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string progress_;
  std::optional<Result<tools::ToolReply>> result_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace stitch::mcp
