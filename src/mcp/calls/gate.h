// SPDX-License-Identifier: Apache-2.0
// How many calls run at once; the others wait in turn.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/process/stop.h"

namespace stitch::mcp {

class Gate {
 public:
  explicit Gate(int places) : free_(places) {}

  // A place, kept until the end of its scope; none where the stop was wished for first.
  class Pass {
   public:
    explicit Pass(Gate* gate) : gate_(gate) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass();

   private:
    Gate* gate_;
  };
  Pass enter(const Stop& stop);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;
};

}  // namespace stitch::mcp
