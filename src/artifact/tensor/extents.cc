// SPDX-License-Identifier: Apache-2.0
#include "artifact/tensor/extents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stitch {

Result<void> check_extents(const TensorType& type) {
  constexpr int64_t kMaxBytes = int64_t{1} << 48;
  int64_t room = kMaxBytes / element_bytes(type.dtype);
  for (const int64_t extent : type.shape) {
    if (extent < 0) {
      return failure(ErrorCode::kProgramInvalid,
                     fmt::format("shape [{}] holds a negative extent", fmt::join(type.shape, ",")));
    }
    if (extent > room) {
      return failure(ErrorCode::kProgramInvalid,
                     fmt::format("shape [{}] is larger than any memory", fmt::join(type.shape, ",")));
    }
    room /= extent == 0 ? 1 : extent;
  }
  return {};
}

}  // namespace stitch
