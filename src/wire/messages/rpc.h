// SPDX-License-Identifier: Apache-2.0
// Requests and answers over a Channel: {"verb", "arguments"} one way, the verb's result or an Error the other way.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "wire/frame/channel.h"

namespace stitch::wire {

// The `location` by which a worker marks a kProgramInvalid that the device reported (a fault, a failed launch), as
// against an answer of the program's own.
constexpr const char* kDeviceLocation = "device";
// Likewise for a candidate that this device cannot run.
constexpr const char* kUnsupportedLocation = "unsupported";

struct Request {
  std::string verb;
  const Json& arguments;
  std::vector<Descriptor> descriptors;
};

struct Answer {
  Answer();
  explicit Answer(Json value, std::vector<Descriptor> attached = {});
  Answer(Answer&&) noexcept;
  Answer& operator=(Answer&&) noexcept;
  ~Answer();

  const Json& json() const { return *json_; }
  std::vector<Descriptor> descriptors;

 private:
  std::unique_ptr<Json> json_;
};

Frame encode_request(uint64_t id, const std::string& verb, const Json& arguments,
                     std::vector<Descriptor> descriptors = {});
// The answer that `frame` carries, or the Error it carries, or kFileInvalid when it is no answer to request `id`.
Result<Answer> decode_answer(Frame frame, uint64_t id);

// Sends a request and waits for the answer.
Result<Answer> call(Channel& channel, uint64_t id, const std::string& verb, const Json& arguments,
                    std::vector<Descriptor> descriptors, Clock::time_point deadline);

// Answers requests until the other end departs; a malformed request ends it too, with its error.
using Handler = std::function<Result<Answer>(Request&)>;
Result<void> serve(Channel& channel, const Handler& handler);

}  // namespace stitch::wire
