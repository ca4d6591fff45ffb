// SPDX-License-Identifier: Apache-2.0
#include "profile/values/rung.h"

#include <fmt/format.h>

namespace stitch::profile {

const char* to_string(RungKind kind) {
  switch (kind) {
    case RungKind::kNcu:
      return "ncu";
    case RungKind::kCupti:
      return "cupti";
    case RungKind::kNsys:
      return "nsys";
    case RungKind::kExecuted:
      return "executed";
    case RungKind::kSass:
      return "sass";
    case RungKind::kRoofline:
      return "roofline";
  }
  return "";
}

Result<RungKind> rung_from_string(std::string_view name) {
  std::string known;
  for (const RungKind kind : all_rungs()) {
    if (name == to_string(kind)) {
      return kind;
    }
    known += (known.empty() ? "" : ", ") + std::string(to_string(kind));
  }
  return failure(ErrorCode::kUsage, fmt::format("there is no profiler called {}", name), "", "name one of " + known);
}

const std::vector<RungKind>& all_rungs() {
  static const std::vector<RungKind> all = {RungKind::kNcu,      RungKind::kCupti, RungKind::kNsys,
                                            RungKind::kExecuted, RungKind::kSass,  RungKind::kRoofline};
  return all;
}

bool is_measured(RungKind kind) {
  return kind == RungKind::kNcu || kind == RungKind::kCupti || kind == RungKind::kNsys;
}

}  // namespace stitch::profile
