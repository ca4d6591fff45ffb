// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/examination.h"
#include "sandbox/cage/cage.h"

namespace stitch::cli::doctor {
namespace {

constexpr const char* kCageGroup = "Cage, in which candidates are compiled and run";

const char* cost_of(sandbox::Layer layer, sandbox::Isolation isolation) {
  if (isolation == sandbox::Isolation::kNone) {
    return "No candidate is run here unless --unsafe-no-sandbox says that whatever runs may be lost.";
  }
  switch (layer) {
    case sandbox::Layer::kGroup:
      return "Memory and processes are limited process by process, not for the whole tree.";
    case sandbox::Layer::kLandlock:
    case sandbox::Layer::kUser:
      return "One layer less; the others hold.";
    default:
      return "The cage is reduced, and every verdict says so.";
  }
}

Finding missing(const sandbox::Layers::Missing& lack, sandbox::Isolation isolation) {
  const bool is_extra = lack.layer == sandbox::Layer::kGroup || lack.layer == sandbox::Layer::kLandlock ||
                        lack.layer == sandbox::Layer::kUser;
  const State state = isolation == sandbox::Isolation::kNone ? State::kMissing
                      : is_extra                             ? State::kAbsent
                                                             : State::kWarning;
  return {kCageGroup, to_string(lack.layer), state, lack.reason, cost_of(lack.layer, isolation), lack.remedy};
}

}  // namespace

std::vector<Finding> sandbox_findings(const Examination&) {
  const Result<sandbox::Layers> layers = sandbox::machine_layers();
  if (!layers.has_value()) {
    return {{kCageGroup, "cage", State::kMissing, layers.error().message, "No candidate can be compiled or run here.",
             layers.error().remedy}};
  }
  std::vector<Finding> found;
  for (const sandbox::Layer layer : sandbox::kAllLayers) {
    const auto lack = std::find_if(layers->missing.begin(), layers->missing.end(),
                                   [&](const auto& missing) { return missing.layer == layer; });
    if (lack == layers->missing.end()) {
      found.push_back({kCageGroup, to_string(layer), State::kHere, describe(layer), "", ""});
    } else {
      found.push_back(missing(*lack, layers->isolation()));
    }
  }
  return found;
}

}  // namespace stitch::cli::doctor
