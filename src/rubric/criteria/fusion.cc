// SPDX-License-Identifier: Apache-2.0
// Launches of a call beside the operators of the graph and the steps of our own plan.
#include <fmt/format.h>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

Mark score_fusion(const Facts& facts) {
  if (!facts.workload.has_value() || !facts.launches.has_value()) {
    return no_mark("launches or the reference's work were not listed");
  }
  const Workload& work = *facts.workload;
  const Executed ran = executed(facts);
  const int64_t launches = ran.launches + ran.library_launches;
  if (work.operators < 2 || launches == 0) {
    return no_mark(launches == 0 ? "nothing was launched" : "there is one operator only");
  }
  const std::string counts =
      fmt::format("{} launches for {} operators (our plan: {} steps)", launches, work.operators, work.steps);
  const std::vector<std::string> citations = {ran.heaviest.empty() ? "launches: library" : ran.heaviest};
  if (launches <= work.steps) {
    return mark(5, counts, citations);
  }
  if (launches < work.operators) {
    return mark(4, counts, citations);
  }
  return mark(launches == work.operators ? 3 : 2, counts, citations);
}

}  // namespace stitch::rubric
