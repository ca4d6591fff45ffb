// SPDX-License-Identifier: Apache-2.0
// For tests: what is known of an answer with one kernel, but for its verdict.
#pragma once

#include <cstdint>

#include "rubric/facts/facts.h"

namespace stitch::rubric {

inline Facts facts_of_product(int64_t launches, int64_t blocks, int64_t threads) {
  Facts facts;
  facts.candidate = "sources";
  LaunchRecord kernel;
  kernel.name = "product";
  kernel.file = "program.cu";
  kernel.line = 3;
  kernel.launches = launches;
  kernel.blocks = blocks;
  kernel.threads = threads;
  kernel.nanoseconds = 1000;
  facts.launches.emplace().add({kernel});
  facts.workload = Workload{2, 1e6, 1e6, 1e4, 1, true};
  facts.source = SourceFacts{};
  facts.source->kernels = {"product program.cu:1"};
  return facts;
}

}  // namespace stitch::rubric
