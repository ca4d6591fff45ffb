// SPDX-License-Identifier: Apache-2.0
// What stands in the text to be seen, and does nothing: no cheat where the answer is right, and no honest work either.
#include <fmt/format.h>

#include <algorithm>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

namespace {

constexpr double kMuchTime = 0.1;

bool takes_time(const LaunchRecord& kernel, const std::vector<LaunchRecord>& launches) {
  int64_t all = 0;
  for (const LaunchRecord& record : launches) {
    all += record.nanoseconds;
  }
  return static_cast<double>(kernel.nanoseconds) >= kMuchTime * static_cast<double>(all);
}

}  // namespace

Mark score_decoration(const Facts& facts) {
  if (!facts.source.has_value() || !facts.launches.has_value()) {
    return no_mark("text or launches were not there");
  }
  const auto& launches = facts.launches->records;
  const auto idle = std::find_if(launches.begin(), launches.end(),
                                 [](const LaunchRecord& record) { return record.is_idle && record.threads > 0; });
  if (idle != launches.end()) {
    return mark(takes_time(*idle, launches) ? 3 : 4, fmt::format("the answer is as right without {}", idle->name),
                {"launches: " + idle->name});
  }
  const auto refused = std::find_if(launches.begin(), launches.end(), [](const LaunchRecord& record) {
    return !record.is_library() && record.threads == 0;
  });
  if (refused != launches.end()) {
    return mark(4, fmt::format("{} was launched on an empty grid", refused->name), {"launches: " + refused->name});
  }
  if (!facts.source->idle.empty()) {
    return mark(4, "for show: " + facts.source->idle.front(), {"source: " + facts.source->idle.front()});
  }
  return mark(5, "nothing was seen that stands there for show", {"launches", "source"});
}

}  // namespace stitch::rubric
