// SPDX-License-Identifier: Apache-2.0
// A child process that answers requests, one JSON object a line over a socket on its descriptor 3 (its stdout stays
// free for whatever the user's program prints).
//   request   {"id": 1, "verb": "import", "arguments": {...}}
//   progress  {"id": 1, "progress": "sentence"}          any number, before the answer
//   answer    {"id": 1, "ok": {...}}   or   {"id": 1, "error": {"code", "sentence", "place", "remedy", "trace"}}
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/json/json_forward.h"
#include "base/process/child.h"

namespace stitch {

class JsonChannel {
 public:
  static Result<JsonChannel> start(ChildOptions options);
  JsonChannel(JsonChannel&&) noexcept;
  JsonChannel& operator=(JsonChannel&&) noexcept;
  ~JsonChannel();

  using Progress = std::function<void(const std::string&)>;
  // One request at a time. A dead child, a malformed answer or a late one is an Error; the child's own error is passed
  // on.
  Result<Json> request(const std::string& verb, const Json& arguments, int64_t timeout_ms,
                       const Progress& progress = {});

 private:
  struct State;
  explicit JsonChannel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stitch
