// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies that ran; wide accesses in the text of what ran.
#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

Mark score_memory_access(const Facts& facts) {
  const Executed ran = facts.launches.has_value() ? executed(facts) : Executed{};
  if (facts.launches.has_value() && ran.kernels == 0) {
    return no_mark("no kernel of its own ran");
  }
  if (ran.async_copies > 0) {
    return mark(5, "asynchronous copies into shared memory ran", {ran.heaviest});
  }
  if (!facts.source.has_value() || facts.source->kernels.empty()) {
    return no_mark("the text of the kernels was not there");
  }
  if (has_feature(facts, "vector_access")) {
    return mark(facts.launches.has_value() ? 4 : 3,
                "kernels that can be reached read and write several elements at once", cite(facts, {"vector_access"}));
  }
  return mark(3, "one element at a time", {"source: " + facts.source->kernels.front()});
}

}  // namespace stitch::rubric
