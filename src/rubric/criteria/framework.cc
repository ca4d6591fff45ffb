// SPDX-License-Identifier: Apache-2.0
// What the framework was seen to compute, below Python, or could not since nothing of it is linked.
#include <fmt/format.h>

#include "rubric/criteria/criterion.h"

namespace stitch::rubric {

constexpr double kLittle = 0.05;

Mark score_framework(const Facts& facts) {
  if (!facts.framework.has_value()) {
    return facts.candidate == "python"
               ? no_mark("nobody saw which operators PyTorch ran: the candidate did not come to a call")
               : mark(5, "a library of the C ABI that wants PyTorch is refused before it is loaded",
                      {"candidate: " + facts.candidate});
  }
  const FrameworkFacts& framework = *facts.framework;
  const std::vector<std::string> citations = {"policy: " + framework.evidence};
  if (framework.hack_class == HackClass::kTotal) {
    return mark(1, fmt::format("a total hack: {}", framework.evidence), citations);
  }
  if (framework.hack_class == HackClass::kPartial) {
    return mark(framework.share > kLittle ? 2 : 3, fmt::format("a partial hack: {}", framework.evidence), citations);
  }
  return mark(5, framework.evidence, citations);
}

}  // namespace stitch::rubric
