// SPDX-License-Identifier: Apache-2.0
#include "mcp/session/outlet.h"

namespace stitch::mcp {

BatchOutlet::~BatchOutlet() {
  if (!answers_.empty()) {
    outlet_->send(answers_);
  }
}

void BatchOutlet::send(const Json& message) {
  if (message.contains("method")) {
    outlet_->send(message);
    return;
  }
  const std::lock_guard lock(mutex_);
  answers_.push_back(message);
}

}  // namespace stitch::mcp
