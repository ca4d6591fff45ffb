// SPDX-License-Identifier: Apache-2.0
// Somebody else's agent as a child, spoken to in lines of JSON on its stdin and stdout. It is not caged: the user has
// named it, and it needs the network for its own model.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "base/process/child.h"

namespace stitch::agents {

class AgentProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // `command` is for /bin/sh; it begins in `folder`, with our environment but the variables named in `hidden`.
  static Result<AgentProcess> start(const std::string& command, const std::filesystem::path& folder,
                                    const std::vector<std::string>& hidden);

  // False where nobody reads any more.
  bool send(const Json& message);
  enum class Got { kLine, kNothing, kEnded, kTooLong };
  // The next line; kNothing at `deadline`.
  Got receive(Clock::time_point deadline, std::string& line);
  // How it ended and what it said last, in a sentence; it is ended where it still runs.
  std::string last_words();

 private:
  AgentProcess(Child child, Descriptor to_agent, Descriptor from_agent)
      : child_(std::move(child)), to_agent_(std::move(to_agent)), from_agent_(std::move(from_agent)) {}

  Child child_;
  Descriptor to_agent_;
  Descriptor from_agent_;
  std::string received_;
  size_t searched_ = 0;
};

}  // namespace stitch::agents
