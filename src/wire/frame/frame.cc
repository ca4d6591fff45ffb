// SPDX-License-Identifier: Apache-2.0
#include "wire/frame/frame.h"

#include <fmt/format.h>

namespace stitch::wire {

Result<void> check_header(const FrameHeader& header) {
  if (header.magic != kFrameMagic) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("a frame begins with {:08x}, not {:08x}", header.magic, kFrameMagic));
  }
  if (header.kind < static_cast<uint32_t>(FrameKind::kRequest) ||
      header.kind > static_cast<uint32_t>(FrameKind::kError)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("a frame is of the unknown kind {}", header.kind));
  }
  if (header.payload_bytes > kMaxPayloadBytes) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("a frame announces {} bytes, more than {}", header.payload_bytes, kMaxPayloadBytes));
  }
  if (header.descriptor_count > kMaxDescriptors) {
    return failure(ErrorCode::kFileInvalid, fmt::format("a frame announces {} descriptors, more than {}",
                                                        header.descriptor_count, kMaxDescriptors));
  }
  return {};
}

}  // namespace stitch::wire
