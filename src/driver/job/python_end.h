// SPDX-License-Identifier: Apache-2.0
// Explains the end of the Python process, which runs the user's own file: that file may end, crash or hang it.
#pragma once

#include <string>

#include "base/process/json_channel.h"

namespace stitch::driver {

// `file` is the program that the process ran when it ended, `seconds` what it was given.
Error explain_end(const JsonChannel::End& end, const std::string& file, double seconds);

}  // namespace stitch::driver
