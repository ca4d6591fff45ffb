// SPDX-License-Identifier: Apache-2.0
// What travels between supervisor, keeper and worker: a fixed header, a payload of capped length, and descriptors
// beside it. The other end may be hostile: every field is checked before it is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/process/descriptor.h"

namespace stitch::wire {

struct FrameHeader {
  uint32_t magic;
  uint32_t kind;
  uint64_t id;
  uint32_t payload_bytes;
  uint32_t descriptor_count;
};

constexpr uint32_t kFrameMagic = 0x31574353;  // "SCW1"
constexpr uint32_t kMaxPayloadBytes = 4u << 20;
constexpr uint32_t kMaxDescriptors = 64;

enum class FrameKind : uint32_t { kRequest = 1, kAnswer = 2, kError = 3 };

struct Frame {
  FrameKind kind = FrameKind::kRequest;
  uint64_t id = 0;
  std::string payload{};
  std::vector<Descriptor> descriptors{};
};

// kFileInvalid with a sentence when any field is out of its range.
Result<void> check_header(const FrameHeader& header);

}  // namespace stitch::wire
