// SPDX-License-Identifier: Apache-2.0
// The arguments of a request, one by one. A name that a verb does not know is a mistake, not something to pass over.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "plan/plan.h"

namespace stitch::binding {

// kUsage: the argument `name` is what `what` says of it, such as "is missing".
Unexpected not_taken(const char* name, const std::string& what);

// kUsage where `request` has a member besides "verb" that is not in `known`.
Result<void> refuse_others(const Json& request, const std::vector<std::string>& known);

// kUsage where it is missing or no text.
Result<std::string> text_argument(const Json& request, const char* name);
// Of these four, what the command line takes where the argument is missing.
Result<std::string> text_argument_or(const Json& request, const char* name, const std::string& otherwise);
Result<std::vector<std::string>> targets_argument(const Json& request);
Result<MathMode> math_argument(const Json& request);
Result<plan::Libraries> libraries_argument(const Json& request);

}  // namespace stitch::binding
