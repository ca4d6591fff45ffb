// SPDX-License-Identifier: Apache-2.0
#include "device/shared_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "device/common/status.h"

namespace stitch::device {
namespace {

constexpr uint64_t kGranule = uint64_t{2} << 20;

uint64_t allocated_bytes(uint64_t bytes) { return std::max<uint64_t>((bytes + kGranule - 1) / kGranule, 1) * kGranule; }

std::string to_hex(const cudaIpcMemHandle_t& handle) {
  std::string text;
  for (const char byte : handle.reserved) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

Result<cudaIpcMemHandle_t> from_hex(const std::string& text) {
  cudaIpcMemHandle_t handle{};
  const bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (text.size() != 2 * sizeof(handle.reserved) || !is_hex) {
    return failure(ErrorCode::kFileInvalid, "a memory handle is not of the form that cudaIpc gives");
  }
  for (size_t i = 0; i < sizeof(handle.reserved); ++i) {
    handle.reserved[i] = static_cast<char>(std::strtoul(text.substr(2 * i, 2).c_str(), nullptr, 16));
  }
  return handle;
}

}  // namespace

Result<SharedBlock> SharedBlock::allocate(uint64_t bytes) {
  SharedBlock block;
  void* memory = nullptr;
  STITCH_TRY(
      check(cudaMalloc(&memory, allocated_bytes(bytes)), fmt::format("allocating {} bytes on the GPU", bytes).c_str()));
  block.data_ = static_cast<std::byte*>(memory);
  block.bytes_ = bytes;
  block.is_owner_ = true;
  cudaIpcMemHandle_t handle{};
  STITCH_TRY(check(cudaIpcGetMemHandle(&handle, memory), "sharing GPU memory"));
  block.handle_ = to_hex(handle);
  return block;
}

Result<SharedBlock> SharedBlock::open(uint64_t bytes, Descriptor, const std::string& handle) {
  STITCH_ASSIGN(const cudaIpcMemHandle_t opened, from_hex(handle));
  SharedBlock block;
  void* memory = nullptr;
  STITCH_TRY(check(cudaIpcOpenMemHandle(&memory, opened, cudaIpcMemLazyEnablePeerAccess), "opening shared GPU memory"));
  block.data_ = static_cast<std::byte*>(memory);
  block.bytes_ = bytes;
  return block;
}

void SharedBlock::release() {
  if (data_ == nullptr) {
    return;
  }
  if (is_owner_) {
    cudaFree(data_);
  } else {
    cudaIpcCloseMemHandle(data_);
  }
  data_ = nullptr;
}

}  // namespace stitch::device
