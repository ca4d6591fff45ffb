// SPDX-License-Identifier: Apache-2.0
// What a refinement changed: the technique that the feedback asks for, beside the candidate that it was given to. One
// that stood there before was no answer to the feedback, or else the feedback was wrong.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/technique.h"

namespace stitch::rubric {
namespace {

// By what its text can do, not by its names and places.
bool looks_unchanged(const SourceFacts& before, const SourceFacts& now) {
  const auto same = [](const SourceFeature& a, const SourceFeature& b) {
    return a.name == b.name && a.count == b.count;
  };
  return before.kernels.size() == now.kernels.size() &&
         std::equal(before.features.begin(), before.features.end(), now.features.begin(), now.features.end(), same);
}

bool was_there(const Technique& technique, const SourceFacts& before, const SourceFacts& now) {
  if (technique.feature != nullptr) {
    return before.feature(technique.feature) != nullptr;
  }
  if (technique.mended != nullptr) {
    return before.feature(technique.mended) == nullptr;
  }
  return before.kernels.size() <= now.kernels.size();  // fewer launches
}

}  // namespace

Mark score_refinement(const Facts& facts) {
  if (facts.skill == Skill::kScratch) {
    return no_mark("written from scratch: it refines nothing");
  }
  if (!facts.before.has_value() || !facts.feedback.has_value() || !facts.source.has_value()) {
    return no_mark("the candidate that the feedback was given to is not known");
  }
  const std::vector<Technique> asked = asked_techniques(*facts.feedback);
  if (asked.empty()) {
    return no_mark("the feedback names no technique that can be looked for");
  }
  if (looks_unchanged(*facts.before, *facts.source)) {
    return mark(1, "nothing that can be told changed since the candidate that the feedback was given to",
                {"feedback", "previous"});
  }
  std::vector<std::string> told;
  double answered = 0;
  for (const Technique& technique : asked) {
    const double part = done(technique, facts);
    const bool is_new = !was_there(technique, *facts.before, *facts.source);
    answered += is_new ? part : part / 2;
    told.push_back(fmt::format("{} ({})", technique.name,
                               part == 0 ? "not there"
                               : is_new  ? "new"
                                         : "there before as well"));
  }
  return mark(1 + 4 * answered / static_cast<double>(asked.size()),
              fmt::format("since the previous candidate: {}", fmt::join(told, ", ")), {"feedback", "previous"});
}

}  // namespace stitch::rubric
