// SPDX-License-Identifier: Apache-2.0
// Work on large regions of device memory, done on the device: going through host memory takes a hundred times as
// long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error/result.h"

namespace stitch::device {

struct Extent {
  const std::byte* data = nullptr;  // need not be aligned
  uint64_t bytes = 0;
};

// A keyed digest of each extent, equal for equal bytes at any address. Nothing where this device has no code for it;
// the caller then reads the bytes itself.
Result<std::optional<std::vector<uint64_t>>> digests_on_device(const std::vector<Extent>& extents, uint64_t key);

// Copies `bytes` (a multiple of 16, as the addresses are) so that nothing else gets onto a multiprocessor meanwhile:
// other work, on whatever stream, comes before or after. False likewise.
Result<bool> copy_alone(void* stream, std::byte* to, const std::byte* from, uint64_t bytes);

// Random bytes, other ones for each seed. False likewise.
Result<bool> fill_on_device(std::byte* data, uint64_t bytes, uint64_t seed);

// Of two regions of one size, element by element, each with the same chance: which, `seed` says (takes_first()). The
// three neither overlap nor begin within an element.
struct Mix {
  std::byte* to = nullptr;
  const std::byte* first = nullptr;
  const std::byte* second = nullptr;
  uint64_t bytes = 0;  // a multiple of the width
  uint64_t width = 0;  // of an element: 2, 4 or 8 bytes
  uint64_t seed = 0;
};
// Makes all of them. False likewise.
Result<bool> mix_on_device(const std::vector<Mix>& mixes);

}  // namespace stitch::device
