// SPDX-License-Identifier: Apache-2.0
// One GET by libcurl into a file.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error/result.h"
#include "llm/download/download.h"

namespace stitch::chat {

// Answers with the number of bytes. `is_abandoned` is asked several times a second. kEnvironment where the server
// cannot be reached, refuses, or sends too much; kTimeout where it is too slow.
Result<int64_t> download(const llm::Download& asked, const std::function<bool()>& is_abandoned);

}  // namespace stitch::chat
