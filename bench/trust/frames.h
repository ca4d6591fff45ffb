// SPDX-License-Identifier: Apache-2.0
// What goes through the pipe between the bare harness and its worker: plain structs, nothing checked.
//   to the worker   Header, then for each tensor of each role: rank, extents; its bytes when the worker needs them
//   from it         int64 status: 0, then the bytes of outputs and new states in turn; else a failed call
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace stitch::bench {

enum class Verb : int64_t { kPrepare, kRun };

struct Header {
  Verb verb;
  int64_t counts[4];  // parameters, 0, 0, 0; or inputs, states, outputs, new states
  uint64_t rng_seed;
  uint64_t schedule_seed;
};

struct TensorFrame {
  int64_t rank;
  int64_t bytes;
  int64_t extents[8];
};

inline bool write_all(int descriptor, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor, at, bytes);
    if (written <= 0) {
      return false;
    }
    at += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

inline bool read_all(int descriptor, void* data, size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::read(descriptor, at, bytes);
    if (got <= 0) {
      return false;
    }
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace stitch::bench
