// SPDX-License-Identifier: Apache-2.0
// The calls of one session, by the ids that its client knows them by.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/calls/call.h"

namespace stitch::mcp {

class Calls {
 public:
  // Both must outlive it.
  Calls(const RunTool& run, Gate& gate) : run_(run), gate_(gate) {}
  ~Calls();  // ends all

  // Null where too many are under way or waiting.
  std::shared_ptr<Call> begin(const std::string& tool, const Json& arguments);
  // Null where there is none of this id, or its result was thrown away long ago.
  std::shared_ptr<Call> find(const std::string& id);
  // "job-1, job-3": those that are under way or whose results are still kept.
  std::string ids();
  void stop_all();

 private:
  const RunTool& run_;
  Gate& gate_;
  std::mutex mutex_;
  int last_ = 0;
  std::deque<std::shared_ptr<Call>> calls_;  // oldest first; shared with those who wait for one
};

}  // namespace stitch::mcp
