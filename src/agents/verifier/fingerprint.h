// SPDX-License-Identifier: Apache-2.0
// What two failures have in common that are the same one: the first error of a log, without what differs from build to
// build.
#pragma once

#include <string>
#include <string_view>

namespace stitch::agents {

// The first line that tells an error, else the first that tells anything; of it no folders, addresses, hashes, times or
// numbers, at most 200 bytes. Empty for a log without text.
std::string fingerprint(std::string_view log);

}  // namespace stitch::agents
