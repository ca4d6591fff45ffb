// SPDX-License-Identifier: Apache-2.0
// Messages into a pipe, one a line, whole, from any thread.
#pragma once

#include <mutex>

#include "base/process/stop.h"
#include "mcp/session/outlet.h"

namespace stitch::mcp {

class PipeOutlet final : public Outlet {
 public:
  // `broken` is wished once nobody reads any more; when somebody else wishes it, nothing more is written.
  PipeOutlet(int output, Stop& broken) : output_(output), broken_(broken) {}
  void send(const Json& message) override;

 private:
  bool write_some(std::string_view& text);

  int output_;
  Stop& broken_;
  std::mutex mutex_;
};

}  // namespace stitch::mcp
