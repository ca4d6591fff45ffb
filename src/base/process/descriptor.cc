// SPDX-License-Identifier: Apache-2.0
#include "base/process/descriptor.h"

#include <unistd.h>

namespace stitch {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::reset() {
  if (number_ >= 0) {
    // Not repeated on EINTR: on Linux the number is free again even then.
    ::close(std::exchange(number_, -1));
  }
}

}  // namespace stitch
