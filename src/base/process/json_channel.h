// SPDX-License-Identifier: Apache-2.0
// A child process that answers requests, one JSON object a line over a socket on its descriptor 3 (its stdout stays
// free for whatever the user's program prints).
//   request   {"id": 1, "verb": "import", "arguments": {...}}
//   progress  {"id": 1, "progress": "sentence"}          any number, before the answer
//   begun     {"id": 1, "begun": true}                   once, before the request is looked into
//   answer    {"id": 1, "ok": {...}}   or   {"id": 1, "error": {"code", "sentence", "place", "remedy", "trace"}}
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/json/json_forward.h"
#include "base/process/child.h"

namespace stitch {

class JsonChannel {
 public:
  static Result<JsonChannel> start(ChildOptions options);
  // To a child that is there already, over our end of its socket. `name` is what sentences call it.
  static JsonChannel to(Child child, Descriptor socket, std::string name);
  JsonChannel(JsonChannel&&) noexcept;
  JsonChannel& operator=(JsonChannel&&) noexcept;
  ~JsonChannel();

  using Progress = std::function<void(const std::string&)>;
  // One request at a time. A dead child, a malformed answer or a late one is an Error; the child's own error is passed
  // on.
  Result<Json> request(const std::string& verb, const Json& arguments, int64_t timeout_ms,
                       const Progress& progress = {});

  // How the child ended, for a caller that can explain it better than the Error of the request does.
  struct End {
    ExitState exit;          // timed_out without having been late: it closed the channel and went on
    bool was_late = false;   // it did not answer in time, and was killed
    bool had_begun = false;  // it had said {"id", "begun": true}: what it needs for the request was loaded
    std::string said;        // on standard error, its last 64 KiB
  };
  const std::optional<End>& end() const;

 private:
  struct State;
  explicit JsonChannel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stitch
