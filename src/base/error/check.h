// SPDX-License-Identifier: Apache-2.0
// STITCH_CHECK(condition) << why: our own bug. Prints one line and aborts this process.
#pragma once

#include <sstream>

namespace stitch::internal {

class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  std::ostream& stream() { return message_; }

 private:
  std::ostringstream message_;
};

struct Voidify {
  void operator&(const std::ostream&) const {}
};

}  // namespace stitch::internal

#define STITCH_CHECK(condition)          \
  (condition) ? static_cast<void>(0)     \
              : ::stitch::internal::Voidify() & \
                    ::stitch::internal::CheckFailure(__FILE__, __LINE__, #condition).stream()
