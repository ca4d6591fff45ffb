// SPDX-License-Identifier: Apache-2.0
// Answers GET /metrics and /healthz, one request at a time, and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/error/result.h"
#include "base/process/descriptor.h"
#include "base/process/stop.h"

namespace stitch::farm {

class MetricsServer {
 public:
  // "9400" listens on loopback, "0.0.0.0:9400" on all addresses; port 0 is any free one. kEnvironment where it cannot.
  static Result<std::unique_ptr<MetricsServer>> start(const std::string& address, std::function<std::string()> text);
  ~MetricsServer();

  int port() const { return port_; }

 private:
  MetricsServer(Descriptor socket, int port, std::function<std::string()> text);
  void serve();
  void answer(const Descriptor& client);

  Descriptor socket_;
  int port_;
  std::function<std::string()> text_;
  Stop stop_;
  std::thread thread_;
};

}  // namespace stitch::farm
