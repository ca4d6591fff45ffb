// SPDX-License-Identifier: Apache-2.0
// STITCH_CHECK(condition) << why: our own bug. Prints one line and aborts this process.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace stitch::internal {

// Collects the message without <sstream>: every source includes this header, and streams cost each a third of a second.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  CheckFailure& operator<<(std::string_view text) {
    message_ += text;
    return *this;
  }
  CheckFailure& operator<<(std::integral auto number) {
    message_ += std::to_string(number);
    return *this;
  }

 private:
  std::string message_;
};

struct Voidify {
  void operator&(const CheckFailure&) const {}
};

}  // namespace stitch::internal

#define STITCH_CHECK(condition)          \
  (condition) ? static_cast<void>(0)     \
              : ::stitch::internal::Voidify() & \
                    ::stitch::internal::CheckFailure(__FILE__, __LINE__, #condition)
