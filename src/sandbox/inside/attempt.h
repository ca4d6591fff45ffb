// SPDX-License-Identifier: Apache-2.0
// A system call's failure as an Error that says what was tried.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error/result.h"

namespace stitch::sandbox {

inline Result<void> attempt(bool done, const std::string& what) {
  const int reason = errno;
  return done ? Result<void>()
              : Result<void>(failure(ErrorCode::kEnvironment, fmt::format("{}: {}", what, std::strerror(reason))));
}

}  // namespace stitch::sandbox
