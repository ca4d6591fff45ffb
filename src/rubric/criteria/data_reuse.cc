// SPDX-License-Identifier: Apache-2.0
// Shared memory and warps that work together, in kernels that matter, where the work has something to share.
#include <fmt/format.h>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

Mark score_data_reuse(const Facts& facts) {
  if (!facts.workload.has_value() || !facts.workload->reuses_data) {
    return no_mark(facts.workload.has_value() ? "no element is needed twice" : "the reference's work was not counted");
  }
  if (!facts.launches.has_value()) {
    const bool is_there = has_feature(facts, "shared_memory") || has_feature(facts, "warp_shuffle");
    return facts.source.has_value()
               ? mark(is_there ? 3 : 2,
                      is_there ? "the text shares data between threads; that it ran was not seen"
                               : "the text shares nothing between threads; launches were not listed",
                      cite(facts, {"shared_memory", "warp_shuffle"}))
               : no_mark("neither launches nor text were there");
  }
  const Executed ran = executed(facts);
  if (ran.kernels == 0) {
    return no_mark("no kernel of its own ran");
  }
  if (ran.shared_bytes > 0 && ran.barriers > 0) {
    const bool is_staged = ran.async_copies > 0 || ran.matrix_operations > 0;
    return mark(is_staged ? 5 : 4,
                fmt::format("{} bytes of shared memory a block, {} crossings of barriers{}", ran.shared_bytes,
                            ran.barriers, is_staged ? ", filled and used by hardware made for it" : ""),
                {ran.heaviest});
  }
  if (ran.warp_operations > 0) {
    return mark(4, fmt::format("{} operations of whole warps", ran.warp_operations), {ran.heaviest});
  }
  const bool is_idle = facts.source.has_value() && !facts.source->idle.empty();
  return mark(2,
              is_idle ? "threads share nothing: " + facts.source->idle.front()
                      : "threads share nothing: each reads all it needs from memory",
              {ran.heaviest});
}

}  // namespace stitch::rubric
