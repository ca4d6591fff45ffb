// SPDX-License-Identifier: Apache-2.0
// What the host side of a program may choose without changing a step: on which streams steps run, and whether a call is
// recorded as a CUDA graph. The third choice, the order of launches, is the order of Plan::steps.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace stitch::plan {

constexpr int kMaxSideStreams = 7;  // beside the stream of the call

struct HostChoices {
  // By the name of a step's root value: the side stream that it runs on, from 1. Steps that are not named run on the
  // stream of the call.
  std::map<std::string, int> streams{};
  bool replays = true;  // hosts record a call as a CUDA graph and replay it
  bool operator==(const HostChoices&) const = default;
};

// The choices with the order of launches: every step of run() once, by the name of its root's value. Empty: as the
// steps stand.
struct HostPlan {
  std::vector<std::string> order{};
  HostChoices choices{};
  bool operator==(const HostPlan&) const = default;
};

}  // namespace stitch::plan
