// SPDX-License-Identifier: Apache-2.0
// Sizes as people write them.
#pragma once

#include <cstdint>
#include <string>

#include "base/error/result.h"

namespace stitch::cli {

// "4G", "500M", "64k", "1.5GiB", "1000": powers of 1024, small letters too. kUsage for anything else.
Result<uint64_t> parse_bytes(const std::string& text);
// "3.2 GiB", "812 bytes".
std::string bytes_text(uint64_t bytes);

}  // namespace stitch::cli
