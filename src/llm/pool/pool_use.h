// SPDX-License-Identifier: Apache-2.0
// How much at once, and in a minute, an endpoint is asked by all commands of one user on one machine.
#pragma once

#include <cstdint>
#include <string>

namespace stitch::llm {

// 0: without limit.
struct PoolLimits {
  int64_t concurrency = 0;
  int64_t requests_per_minute = 0;
  int64_t tokens_per_minute = 0;  // of prompts and answers

  bool are_set() const { return concurrency > 0 || requests_per_minute > 0 || tokens_per_minute > 0; }
};

struct PoolUse {
  std::string folder{};  // that all who ask the endpoint share
  PoolLimits limits{};
};

}  // namespace stitch::llm
