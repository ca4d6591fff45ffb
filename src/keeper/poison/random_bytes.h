// SPDX-License-Identifier: Apache-2.0
// Random bytes, fast: what outputs hold before a program runs, so that an answer left over or never written shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stitch::keeper {

class RandomBytes {
 public:
  // Seeded by the system: nobody can know what comes.
  RandomBytes();
  explicit RandomBytes(uint64_t seed) : state_(seed) {}

  void fill(std::span<std::byte> bytes);

  uint64_t next();

 private:
  uint64_t state_;
};

}  // namespace stitch::keeper
