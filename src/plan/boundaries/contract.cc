// SPDX-License-Identifier: Apache-2.0
#include "plan/boundaries/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stitch::plan {
namespace {

constexpr int64_t kMaxScratchBytes = int64_t{1} << 40;
constexpr const char* kWhere = "plan.json";

// Its extent at that axis; 0 where no tensor of the group has it.
int64_t extent_at(const kernels::Group& group, const Axis& axis) {
  for (const auto* values : {&group.operands, &group.results}) {
    for (const ir::ValueId value : *values) {
      const std::vector<int64_t>& shape = group.graph->type(value).shape;
      const bool is_it = group.graph->value(value).name == axis.value && axis.axis >= 0 &&
                         static_cast<size_t>(axis.axis) < shape.size();
      if (is_it) {
        return shape[static_cast<size_t>(axis.axis)];
      }
    }
  }
  return 0;
}

std::vector<std::string> names_of(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  std::vector<std::string> names;
  std::transform(values.begin(), values.end(), std::back_inserter(names),
                 [&](ir::ValueId value) { return graph.value(value).name; });
  return names;
}

Result<void> settle(const char* what, std::vector<std::string> found, std::vector<std::string>& noted) {
  if (!noted.empty() && noted != found) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("a written step has the {} {}, and its code is for {}", what, fmt::join(found, ", "),
                               fmt::join(noted, ", ")),
                   kWhere, "ask for the step's contract again");
  }
  noted = std::move(found);
  return {};
}

}  // namespace

Result<int64_t> scratch_bytes(const kernels::Group& group, const WrittenCode& written) {
  int64_t total = 0;
  for (const ScratchTerm& term : written.scratch) {
    int64_t bytes = term.bytes;
    for (const Axis& axis : term.axes) {
      const int64_t extent = extent_at(group, axis);
      if (extent == 0) {
        return failure(
            ErrorCode::kFileInvalid,
            fmt::format("the scratch memory of a written step follows axis {} of {}, which is no axis of its "
                        "operands and results",
                        axis.axis, axis.value),
            kWhere);
      }
      bytes = bytes <= kMaxScratchBytes / extent ? bytes * extent : kMaxScratchBytes + 1;
    }
    total += bytes;
    if (bytes > kMaxScratchBytes || total > kMaxScratchBytes) {
      return failure(ErrorCode::kFileInvalid, "a written step declares more than 2^40 bytes of scratch memory", kWhere);
    }
  }
  return total;
}

Result<int64_t> settle_contract(const kernels::Group& group, Boundary& boundary) {
  STITCH_TRY(settle("operands", names_of(*group.graph, group.operands), boundary.operands));
  STITCH_TRY(settle("results", names_of(*group.graph, group.results), boundary.results));
  return scratch_bytes(group, *boundary.written);
}

}  // namespace stitch::plan
