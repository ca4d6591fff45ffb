// SPDX-License-Identifier: Apache-2.0
// The service's routes over HTTP; docs/service.md has them.
#pragma once

#include <string>

#include "http/connection/exchange.h"
#include "service/run/evaluations.h"

namespace stitch::service {

struct RouteOptions {
  std::string token;
  bool is_loopback = true;  // then clients have to name this machine: no page can lead a browser here
};

class Routes {
 public:
  // All must outlive it.
  Routes(Evaluations& evaluations, const TaskList& tasks, const RouteOptions& options)
      : evaluations_(evaluations), tasks_(tasks), options_(options) {}

  // From any thread.
  void answer(http::Exchange& exchange);

 private:
  http::Response response_to(http::Exchange& exchange);
  http::Response post_one(http::Exchange& exchange);
  http::Response post_batch(http::Exchange& exchange);
  http::Response with_id(http::Exchange& exchange, const std::string& id);
  http::Response cancel(const std::string& id);
  http::Response tasks() const;
  http::Response ready() const;

  Evaluations& evaluations_;
  const TaskList& tasks_;
  const RouteOptions& options_;
};

// The document of the interface, in OpenAPI's form.
std::string_view openapi_text();

}  // namespace stitch::service
