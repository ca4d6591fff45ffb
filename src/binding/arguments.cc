// SPDX-License-Identifier: Apache-2.0
#include "binding/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json/json.h"
#include "kernels/template/device_limits.h"

namespace stitch::binding {
namespace {

Result<void> known_target(const std::string& name) {
  std::string known;
  for (const kernels::DeviceLimits& device : kernels::known_devices()) {
    if (name == device.architecture) {
      return {};
    }
    known += (known.empty() ? "" : ", ") + device.architecture;
  }
  return failure(ErrorCode::kUsage, fmt::format("\"{}\" is no architecture that plans are made for", name), "targets",
                 "name one of " + known);
}

}  // namespace

Unexpected not_taken(const char* name, const std::string& what) {
  return failure(ErrorCode::kUsage, fmt::format("the argument {} {}", name, what), name);
}

Result<void> refuse_others(const Json& request, const std::vector<std::string>& known) {
  for (const auto& [name, value] : request.items()) {
    if (name != "verb" && std::find(known.begin(), known.end(), name) == known.end()) {
      return failure(ErrorCode::kUsage, fmt::format("\"{}\" is no argument of this request", name), name,
                     known.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(known, ", ")));
    }
  }
  return {};
}

Result<std::string> text_argument(const Json& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end()) {
    return not_taken(name, "is missing");
  }
  if (!found->is_string()) {
    return not_taken(name, "is no text");
  }
  return found->get<std::string>();
}

Result<std::string> text_argument_or(const Json& request, const char* name, const std::string& otherwise) {
  return request.contains(name) ? text_argument(request, name) : Result<std::string>(otherwise);
}

Result<std::vector<std::string>> targets_argument(const Json& request) {
  std::vector<std::string> targets;
  const auto found = request.find("targets");
  if (found == request.end()) {
    return targets;
  }
  if (!found->is_array()) {
    return not_taken("targets", "is no list");
  }
  for (const Json& target : *found) {
    if (!target.is_string()) {
      return not_taken("targets", "holds something that is no name of an architecture, such as \"sm_90a\"");
    }
    targets.push_back(target.get<std::string>());
    STITCH_TRY(known_target(targets.back()));
  }
  return targets;
}

Result<MathMode> math_argument(const Json& request) {
  STITCH_ASSIGN(const std::string name, text_argument_or(request, "math", to_string(MathMode::kFp32)));
  return math_mode_from_string(name);
}

Result<plan::Libraries> libraries_argument(const Json& request) {
  STITCH_ASSIGN(const std::string name, text_argument_or(request, "libraries", "auto"));
  if (name == "auto") {
    return plan::Libraries::kAuto;
  }
  if (name == "on") {
    return plan::Libraries::kOn;
  }
  return name == "off" ? Result<plan::Libraries>(plan::Libraries::kOff)
                       : not_taken("libraries", "is none of auto, on, off");
}

}  // namespace stitch::binding
