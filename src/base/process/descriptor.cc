// SPDX-License-Identifier: Apache-2.0
#include "base/process/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a pipe: {}", std::strerror(errno)), {},
                   "close some programs: this process has no file descriptors left");
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void set_nonblocking(const Descriptor& descriptor) { ::fcntl(descriptor.get(), F_SETFL, O_NONBLOCK); }

}  // namespace stitch
