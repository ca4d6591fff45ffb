// SPDX-License-Identifier: Apache-2.0
// Where answers to one message go, and notifications on it: a pipe, or a response's stream. A session lets go of it
// when nothing more will come.
#pragma once

#include <memory>
#include <mutex>

#include "base/json/json.h"

namespace stitch::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // From any thread.
  virtual void send(const Json& message) = 0;
};

// For messages that came in one array: keeps the answers, and sends them as one when it ends. Notifications go at once.
class BatchOutlet final : public Outlet {
 public:
  explicit BatchOutlet(std::shared_ptr<Outlet> outlet) : outlet_(std::move(outlet)) {}
  ~BatchOutlet() override;
  void send(const Json& message) override;

 private:
  std::shared_ptr<Outlet> outlet_;
  std::mutex mutex_;
  Json answers_ = Json::array();
};

}  // namespace stitch::mcp
