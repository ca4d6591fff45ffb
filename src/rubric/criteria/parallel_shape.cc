// SPDX-License-Identifier: Apache-2.0
// Threads and blocks of the kernel that takes most of the time.
#include <fmt/format.h>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

constexpr int kWarp = 32;
constexpr int64_t kFewThreads = 1024;
constexpr int64_t kSomeBlocks = 8;

Mark score_parallel_shape(const Facts& facts) {
  if (!facts.launches.has_value()) {
    return no_mark("launches were not listed");
  }
  const Executed ran = executed(facts);
  if (ran.kernels == 0) {
    return ran.library_launches > 0 || ran.copies > 0 ? no_mark("no kernel of its own ran")
                                                      : mark(1, "nothing ran on the device", {"launches: none"});
  }
  const std::string shape = fmt::format("{} blocks of {} threads", ran.blocks, ran.threads_per_block);
  const int64_t threads = ran.blocks * ran.threads_per_block;
  if (threads < 2 * kWarp) {
    return mark(1, shape + ": one thread's work", {ran.heaviest});
  }
  if (ran.threads_per_block % kWarp != 0 || threads < kFewThreads) {
    return mark(2, shape + ": warps or the device stand partly idle", {ran.heaviest});
  }
  return mark(ran.blocks >= kSomeBlocks ? 5 : 3, shape, {ran.heaviest});
}

}  // namespace stitch::rubric
