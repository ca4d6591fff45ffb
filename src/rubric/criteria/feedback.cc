// SPDX-License-Identifier: Apache-2.0
// Techniques that a feedback asks for, and whether they are seen now: running first, in the text second.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/technique.h"

namespace stitch::rubric {

Mark score_feedback(const Facts& facts) {
  if (facts.skill == Skill::kScratch) {
    return no_mark("written from scratch: there is no feedback to follow");
  }
  if (!facts.feedback.has_value()) {
    return no_mark("the feedback was not given");
  }
  std::vector<std::string> asked;
  std::vector<std::string> citations;
  double fulfilled = 0;
  for (const Technique& technique : asked_techniques(*facts.feedback)) {
    const double part = done(technique, facts);
    fulfilled += part;
    asked.push_back(fmt::format("{} ({})", technique.name,
                                part == 1  ? "done"
                                : part > 0 ? "written, not seen to run"
                                           : "not done"));
    if (technique.feature != nullptr && part > 0) {
      for (std::string& place : cite(facts, {technique.feature})) {
        citations.push_back(std::move(place));
      }
    }
  }
  if (asked.empty()) {
    return no_mark("the feedback names no technique that can be looked for");
  }
  citations.push_back("feedback");
  return mark(1 + 4 * fulfilled / static_cast<double>(asked.size()),
              fmt::format("asked for: {}", fmt::join(asked, ", ")), std::move(citations));
}

}  // namespace stitch::rubric
