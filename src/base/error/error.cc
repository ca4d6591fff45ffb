// SPDX-License-Identifier: Apache-2.0
#include "base/error/error.h"

#include <array>

namespace stitch {
namespace {

struct CodeRow {
  ErrorCode code;
  const char* name;
  int exit;
};

constexpr std::array kCodes = {
    CodeRow{ErrorCode::kUsage, "usage", 2},
    CodeRow{ErrorCode::kProgramInvalid, "program_invalid", 3},
    CodeRow{ErrorCode::kUnsupportedOperator, "unsupported_operator", 3},
    CodeRow{ErrorCode::kFileInvalid, "file_invalid", 3},
    CodeRow{ErrorCode::kEnvironment, "environment", 4},
    CodeRow{ErrorCode::kTimeout, "timeout", 4},
    CodeRow{ErrorCode::kInternal, "internal", 5},
    CodeRow{ErrorCode::kInterrupted, "interrupted", 130},
};

}  // namespace

const char* to_string(ErrorCode code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) {
      return row.name;
    }
  }
  return "internal";
}

ErrorCode error_code_from_string(const std::string& name) {
  for (const CodeRow& row : kCodes) {
    if (name == row.name) {
      return row.code;
    }
  }
  return ErrorCode::kInternal;
}

int exit_status(ErrorCode code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) {
      return row.exit;
    }
  }
  return 5;
}

Error with_context(Error error, const std::string& context) {
  error.message = context + ": " + error.message;
  return error;
}

}  // namespace stitch
