// SPDX-License-Identifier: Apache-2.0
#include "rl/advantage/filter.h"

#include <algorithm>

#include "rl/advantage/group.h"

namespace stitch::rl {
namespace {

int64_t& count_of(FilterCounts& counts, GroupFate fate) {
  switch (fate) {
    case GroupFate::kKept:
      return counts.kept;
    case GroupFate::kTooFewVerdicts:
      return counts.too_few_verdicts;
    case GroupFate::kAllFail:
      return counts.all_fail;
    case GroupFate::kAllPass:
      return counts.all_pass;
    case GroupFate::kAllEqual:
      break;
  }
  return counts.all_equal;
}

}  // namespace

const char* to_string(GroupFate fate) {
  switch (fate) {
    case GroupFate::kKept:
      return "kept";
    case GroupFate::kTooFewVerdicts:
      return "too_few_verdicts";
    case GroupFate::kAllFail:
      return "all_fail";
    case GroupFate::kAllPass:
      return "all_pass";
    case GroupFate::kAllEqual:
      break;
  }
  return "all_equal";
}

GroupFate fate_of_group(std::span<const JudgedSample> group, const FilterOptions& options) {
  size_t verdicts = 0;
  size_t passes = 0;
  double lowest = 0;
  double highest = 0;
  for (const JudgedSample& sample : group) {
    if (has_verdict(sample.reward)) {
      lowest = verdicts == 0 ? *sample.reward : std::min(lowest, *sample.reward);
      highest = verdicts == 0 ? *sample.reward : std::max(highest, *sample.reward);
      ++verdicts;
      passes += sample.is_pass ? 1 : 0;
    }
  }
  if (verdicts < 2) {
    return GroupFate::kTooFewVerdicts;
  }
  if (lowest < highest || !options.is_zero_variance_dropped) {
    return GroupFate::kKept;
  }
  if (passes == 0) {
    return GroupFate::kAllFail;
  }
  return passes == verdicts ? GroupFate::kAllPass : GroupFate::kAllEqual;
}

FilteredGroups filter_groups(std::span<const std::vector<JudgedSample>> groups, const FilterOptions& options) {
  FilteredGroups result;
  for (size_t i = 0; i < groups.size(); ++i) {
    const GroupFate fate = fate_of_group(groups[i], options);
    ++count_of(result.counts, fate);
    if (fate == GroupFate::kKept) {
      result.kept.push_back(i);
    }
    result.counts.samples += static_cast<int64_t>(groups[i].size());
    result.counts.samples_without_verdict += std::count_if(
        groups[i].begin(), groups[i].end(), [](const JudgedSample& sample) { return !has_verdict(sample.reward); });
  }
  return result;
}

int64_t groups_to_draw(int64_t wanted, int64_t kept, int64_t drawn, int64_t max_drawn) {
  return std::max<int64_t>(0, std::min(wanted - kept, max_drawn - drawn));
}

}  // namespace stitch::rl
