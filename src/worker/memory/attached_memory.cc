// SPDX-License-Identifier: Apache-2.0
#include "worker/memory/attached_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace stitch::worker {
namespace {

constexpr size_t kAlignment = 256;

}  // namespace

void AttachedMemory::FreeMemory::operator()(std::byte* memory) const { std::free(memory); }

Result<void> AttachedMemory::attach(const std::vector<wire::BlockToken>& tokens, std::vector<Descriptor> memories) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    Descriptor memory = i < memories.size() ? std::move(memories[i]) : Descriptor();
    STITCH_ASSIGN(device::SharedBlock block,
                  device::SharedBlock::open(tokens[i].bytes, std::move(memory), tokens[i].handle));
    detach(tokens[i].id);
    blocks_.emplace(tokens[i].id, std::move(block));
  }
  return {};
}

void AttachedMemory::detach(uint64_t id) {
  blocks_.erase(id);
  std::erase_if(mirrors_, [id](const auto& entry) { return std::get<0>(entry.first) == id; });
}

Result<std::byte*> AttachedMemory::address(const wire::Region& region) {
  const auto block = blocks_.find(region.block);
  if (block == blocks_.end() || region.offset > block->second.bytes() ||
      region.bytes > block->second.bytes() - region.offset) {
    return failure(ErrorCode::kInternal, fmt::format("bytes {} to {} of block {} are not there", region.offset,
                                                     region.offset + region.bytes, region.block));
  }
  std::byte* shared = block->second.data() + region.offset;
  if (!mirrored_) {
    return shared;
  }
  Mirror& mirror = mirrors_[{region.block, region.offset, region.bytes}];
  if (mirror.copy == nullptr) {
    void* copy = nullptr;
    if (::posix_memalign(&copy, kAlignment, std::max<uint64_t>(region.bytes, 1)) != 0) {
      return failure(ErrorCode::kEnvironment, fmt::format("no memory for a copy of {} bytes", region.bytes), "",
                     "free some memory, or use smaller sizes (--scale small)");
    }
    mirror = {.shared = shared, .bytes = region.bytes, .copy = {}};
    mirror.copy.reset(static_cast<std::byte*>(copy));
  }
  return mirror.copy.get();
}

std::vector<device::Memory> AttachedMemory::ranges() const {
  std::vector<device::Memory> ranges;
  for (const auto& [id, block] : blocks_) {
    ranges.push_back({block.data(), block.bytes()});
  }
  return ranges;
}

std::vector<device::Memory> AttachedMemory::lent() const {
  if (!mirrored_) {
    return ranges();
  }
  std::vector<device::Memory> copies;
  for (const auto& [key, mirror] : mirrors_) {
    copies.push_back({mirror.copy.get(), mirror.bytes});
  }
  return copies;
}

void AttachedMemory::copy_in() {
  for (auto& [key, mirror] : mirrors_) {
    std::memcpy(mirror.copy.get(), mirror.shared, mirror.bytes);
  }
}

void AttachedMemory::copy_back() {
  for (auto& [key, mirror] : mirrors_) {
    std::memcpy(mirror.shared, mirror.copy.get(), mirror.bytes);
  }
}

}  // namespace stitch::worker
