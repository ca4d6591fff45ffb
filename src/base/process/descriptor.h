// SPDX-License-Identifier: Apache-2.0
// A file descriptor that closes itself, and pipes.
#pragma once

#include <utility>

#include "base/error/result.h"

namespace stitch {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset();

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Neither end goes on to a program that is started.
Result<Pipe> make_pipe();

void set_nonblocking(const Descriptor& descriptor);

}  // namespace stitch
