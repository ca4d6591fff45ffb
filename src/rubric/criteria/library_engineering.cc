// SPDX-License-Identifier: Apache-2.0
// A library call with a fused epilogue and a plan that is kept is engineering; a bare one is a wrapper.
#include <fmt/format.h>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

Mark score_library_engineering(const Facts& facts) {
  if (!facts.launches.has_value()) {
    if (!has_feature(facts, "library_call")) {
      return no_mark("no library is called");
    }
    return mark(has_feature(facts, "library_epilogue") ? 3 : 2, "the text calls a library; that it ran was not seen",
                cite(facts, {"library_call", "library_epilogue"}));
  }
  const Executed ran = executed(facts);
  if (ran.library_launches == 0) {
    return no_mark("no library ran");
  }
  const bool fuses = 2 * ran.library_epilogues >= ran.library_launches;
  const bool keeps_plan = ran.library_plans == 0;
  std::vector<std::string> citations = cite(facts, {"library_epilogue", "library_call"});
  citations.insert(citations.begin(), "launches: library");
  return mark(1 + (fuses ? 2 : 0) + (keeps_plan ? 2 : 0),
              fmt::format("{} of {} library calls did more than the bare product; {} plans were made in the call",
                          ran.library_epilogues, ran.library_launches, ran.library_plans),
              std::move(citations));
}

}  // namespace stitch::rubric
