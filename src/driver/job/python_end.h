// SPDX-License-Identifier: Apache-2.0
// The Python process runs the user's own file, which may end it, crash it or hang in it: what to say then.
#pragma once

#include <string>

#include "base/process/json_channel.h"

namespace stitch::driver {

// `file` is the program that the process ran when it ended, `seconds` what it was given.
Error explain_end(const JsonChannel::End& end, const std::string& file, double seconds);

}  // namespace stitch::driver
