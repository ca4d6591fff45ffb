// SPDX-License-Identifier: Apache-2.0
// Records of steps, read leniently: a run that was killed may have left half a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace stitch::report {

struct StepLines {
  std::vector<Json> steps{};    // objects whose "step" is a number above 0
  Json begin = Json::object();  // that of step 0: what was there when the run began
  size_t unreadable = 0;        // lines that are neither
};
StepLines read_step_lines(std::string_view text);

// All objects of a text of lines; others are passed over.
std::vector<Json> objects_of_lines(std::string_view text);

// The number at "critic.bias"; none where there is none, or one that is not finite.
std::optional<double> number_in(const Json& line, std::string_view path);
// The object at a path; null where there is none.
const Json* object_in(const Json& line, std::string_view path);

}  // namespace stitch::report
