// SPDX-License-Identifier: Apache-2.0
// Text with @MARKERS@.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error/result.h"

namespace stitch::codegen {

using Fillings = std::vector<std::pair<std::string, std::string>>;  // "NAME" -> text

// runtime/project/`name` with every "@NAME@" replaced. Markers inside the filled-in text are left as they are.
Result<std::string> filled_template(const std::string& runtime_folder, const std::string& name,
                                    const Fillings& fillings);

}  // namespace stitch::codegen
