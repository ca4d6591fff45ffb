// SPDX-License-Identifier: Apache-2.0
// Whether the arguments of a call are what the tool's schema says.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"

namespace stitch::tools {

// Sentences on what is wrong with them, empty where nothing is.
std::vector<std::string> faults_of_arguments(const Json& schema, const Json& arguments);

}  // namespace stitch::tools
