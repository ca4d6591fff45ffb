// SPDX-License-Identifier: Apache-2.0
#include "base/error/result.h"

namespace stitch::internal {

void value_of_failed_result(const Error& error) {
  CheckFailure(__FILE__, __LINE__, "has_value()") << "value() of a failed Result: " << error.message;
  __builtin_unreachable();
}

void error_of_successful_result() {
  CheckFailure(__FILE__, __LINE__, "!has_value()") << "error() of a successful Result";
  __builtin_unreachable();
}

}  // namespace stitch::internal
