// SPDX-License-Identifier: Apache-2.0
// An Error as a model reads it.
#pragma once

#include <string>

#include "base/error/error.h"
#include "tools/spec/tool.h"

namespace stitch::tools {

// "What happened (where). What to do."
std::string error_text(const Error& error);
// {"code", "sentence", "place", "remedy"}
Json error_json(const Error& error);
// Whether the caller can mend it: the arguments or the files that they name are wrong, not this machine.
bool is_callers(ErrorCode code);

}  // namespace stitch::tools
