// SPDX-License-Identifier: Apache-2.0
// One request and its answer: a response, or a stream of chunks that go out as they come.
#pragma once

#include <functional>
#include <string>

#include "base/process/stop.h"
#include "http/connection/message.h"

namespace stitch::http {

class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const Request& request() const = 0;
  // Once wished for, the connection ends: who waits for something gives up.
  virtual const Stop& stop() const = 0;
  // It closed its side: nobody reads an answer that takes long. May be asked at any time while the handler runs.
  virtual bool is_client_gone() const { return false; }

  // Once, and nothing after it.
  virtual void answer(const Response& response) = 0;
  // Or a head, any number of texts, and the end. False when the client is gone.
  virtual bool begin_stream(const Response& head) = 0;
  virtual bool send(const std::string& text) = 0;
  virtual void end_stream() = 0;
};

// Called on the connection's own thread, one request after another. It answers before it returns.
using Handler = std::function<void(Exchange& exchange)>;

struct ConnectionLimits {
  uint64_t max_body_bytes = 4u << 20;
};

}  // namespace stitch::http
