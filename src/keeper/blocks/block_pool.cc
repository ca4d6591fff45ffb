// SPDX-License-Identifier: Apache-2.0
#include "keeper/blocks/block_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "device/buffer.h"
#include "device/bulk_words.h"
#include "keeper/digest/digest.h"

namespace stitch::keeper {
namespace {

// Data passes through host memory in pieces of this size; a multiple of what Digest wants.
constexpr uint64_t kStagingBytes = uint64_t{8} << 20;

Result<void> write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return failure(ErrorCode::kEnvironment, fmt::format("cannot keep an output: {}", std::strerror(errno)), "",
                     "free some memory");
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

// The key does not come from the generator of the random bytes: a candidate reads those and could run it backwards.
BlockPool::BlockPool() : digest_key_(RandomBytes().next()), staging_(kStagingBytes) {}

Result<BlockPool::Allocated> BlockPool::allocate(uint64_t bytes) {
  STITCH_ASSIGN(device::SharedBlock block, device::SharedBlock::allocate(bytes));
  Allocated allocated{.token = {.id = next_id_++, .bytes = bytes, .handle = block.handle()}, .memory = {}};
  if (block.memory() >= 0) {
    allocated.memory = Descriptor(::fcntl(block.memory(), F_DUPFD_CLOEXEC, 3));
  }
  blocks_.emplace(allocated.token.id, std::move(block));
  return allocated;
}

Result<std::byte*> BlockPool::locate(const wire::Region& region) {
  const auto block = blocks_.find(region.block);
  if (block == blocks_.end() || region.offset > block->second.bytes() ||
      region.bytes > block->second.bytes() - region.offset) {
    return failure(ErrorCode::kInternal, fmt::format("bytes {} to {} of block {} are not there", region.offset,
                                                     region.offset + region.bytes, region.block));
  }
  return block->second.data() + region.offset;
}

Result<void> BlockPool::fill(const std::vector<wire::Region>& regions, std::span<const std::byte> source) {
  for (const wire::Region& region : regions) {
    STITCH_ASSIGN(std::byte * data, locate(region));
    if (region.bytes > source.size()) {
      return failure(ErrorCode::kInternal, "the file to fill from is too short");
    }
    STITCH_TRY(device::copy_to_device(data, source.data(), region.bytes));
    source = source.subspan(region.bytes);
  }
  return {};
}

Result<void> BlockPool::fetch(const wire::Region& region, const std::string& handle, uint64_t offset) {
  STITCH_ASSIGN(std::byte * data, locate(region));
  if (handle.starts_with('/')) {
    return fetch_file(data, region.bytes, handle, offset);
  }
  STITCH_ASSIGN(const device::SharedBlock block,
                device::SharedBlock::open(offset + region.bytes, Descriptor(), handle));
  return device::copy_on_device(data, block.data() + offset, region.bytes);
}

Result<void> BlockPool::fetch_file(std::byte* data, uint64_t bytes, const std::string& path, uint64_t offset) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t piece = std::min(kStagingBytes, bytes - done);
    const ssize_t read = ::pread(file.get(), staging_.data(), piece, static_cast<off_t>(offset + done));
    if (read < 0 && errno == EINTR) {
      continue;
    }
    if (read <= 0) {
      return failure(ErrorCode::kInternal, fmt::format("a tensor cannot be read from {}", path));
    }
    STITCH_TRY(device::copy_to_device(data + done, staging_.data(), static_cast<uint64_t>(read)));
    done += static_cast<uint64_t>(read);
  }
  return {};
}

Result<void> BlockPool::poison(const wire::Region& region) {
  STITCH_ASSIGN(std::byte * data, locate(region));
  STITCH_ASSIGN(const bool is_filled, device::fill_on_device(data, region.bytes, random_.next()));
  if (is_filled) {
    return {};
  }
  const uint64_t first = std::min(region.bytes, kStagingBytes);
  random_.fill(std::span(staging_).first(first));
  STITCH_TRY(device::copy_to_device(data, staging_.data(), first));
  for (uint64_t done = first; done < region.bytes;) {  // the rest repeats it, doubling
    const uint64_t piece = std::min(done, region.bytes - done);
    STITCH_TRY(device::copy_on_device(data + done, data, piece));
    done += piece;
  }
  return {};
}

Result<void> BlockPool::copy(const wire::Region& from, const wire::Region& to) {
  STITCH_ASSIGN(const std::byte* source, locate(from));
  STITCH_ASSIGN(std::byte * data, locate(to));
  if (from.bytes != to.bytes) {
    return failure(ErrorCode::kInternal, "copy wants regions of one size");
  }
  return device::copy_on_device(data, source, from.bytes);
}

Result<device::Mix> BlockPool::locate(const wire::MixedRegion& mix) {
  STITCH_ASSIGN(const std::byte* first, locate(mix.first));
  STITCH_ASSIGN(const std::byte* second, locate(mix.second));
  STITCH_ASSIGN(std::byte * to, locate(mix.to));
  const bool is_width = mix.width == 2 || mix.width == 4 || mix.width == 8;
  if (!is_width || mix.to.bytes != mix.first.bytes || mix.to.bytes != mix.second.bytes) {
    return failure(ErrorCode::kInternal, "a mix wants regions of one size, of elements of 2, 4 or 8 bytes");
  }
  const uint64_t places = mix.first.offset | mix.second.offset | mix.to.offset | mix.to.bytes;
  if (places % mix.width != 0) {
    return failure(ErrorCode::kInternal, "a mix wants regions of whole elements");
  }
  return device::Mix{
      .to = to, .first = first, .second = second, .bytes = mix.to.bytes, .width = mix.width, .seed = mix.seed};
}

Result<void> BlockPool::mix(const std::vector<wire::MixedRegion>& mixes) {
  std::vector<device::Mix> located;
  for (const wire::MixedRegion& mix : mixes) {
    STITCH_ASSIGN(const device::Mix found, locate(mix));
    located.push_back(found);
  }
  STITCH_ASSIGN(const bool is_mixed, device::mix_on_device(located));
  if (is_mixed) {
    return {};
  }
  for (const device::Mix& mix : located) {
    STITCH_TRY(mix_by_host(mix));
  }
  return {};
}

// Half of the staging memory for each of the two.
Result<void> BlockPool::mix_by_host(const device::Mix& mix) {
  constexpr uint64_t kHalf = kStagingBytes / 2;
  std::byte* const first = staging_.data();
  std::byte* const second = staging_.data() + kHalf;
  for (uint64_t done = 0; done < mix.bytes; done += kHalf) {
    const uint64_t piece = std::min(kHalf, mix.bytes - done);
    STITCH_TRY(device::copy_to_host(first, mix.first + done, piece));
    STITCH_TRY(device::copy_to_host(second, mix.second + done, piece));
    for (uint64_t at = 0; at < piece; at += mix.width) {
      if (device::takes_first(mix.seed, (done + at) / mix.width)) {
        std::memcpy(second + at, first + at, mix.width);
      }
    }
    STITCH_TRY(device::copy_to_device(mix.to + done, second, piece));
  }
  return {};
}

Result<std::vector<uint64_t>> BlockPool::digests(const std::vector<wire::Region>& regions) {
  std::vector<device::Extent> extents;
  for (const wire::Region& region : regions) {
    STITCH_ASSIGN(const std::byte* data, locate(region));
    extents.push_back({data, region.bytes});
  }
  STITCH_ASSIGN(std::optional<std::vector<uint64_t>> found, device::digests_on_device(extents, digest_key_));
  if (found.has_value()) {
    return std::move(*found);
  }
  std::vector<uint64_t> by_host;
  for (const device::Extent& extent : extents) {
    STITCH_ASSIGN(const uint64_t digest, digest_by_host(extent));
    by_host.push_back(digest);
  }
  return by_host;
}

Result<uint64_t> BlockPool::digest_by_host(const device::Extent& extent) {
  Digest digest(digest_key_);
  for (uint64_t done = 0; done < extent.bytes; done += kStagingBytes) {
    const uint64_t piece = std::min(kStagingBytes, extent.bytes - done);
    STITCH_TRY(device::copy_to_host(staging_.data(), extent.data + done, piece));
    digest.update(std::span(staging_).first(piece));
  }
  return digest.finish();
}

Result<Descriptor> BlockPool::snapshot(const wire::Region& region) {
  STITCH_ASSIGN(const std::byte* data, locate(region));
  Descriptor file(::memfd_create("stitchcuda-output", MFD_CLOEXEC));
  if (!file.is_open()) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot keep an output: {}", std::strerror(errno)));
  }
  for (uint64_t done = 0; done < region.bytes; done += kStagingBytes) {
    const uint64_t piece = std::min(kStagingBytes, region.bytes - done);
    STITCH_TRY(device::copy_to_host(staging_.data(), data + done, piece));
    STITCH_TRY(write_all(file.get(), std::span(staging_).first(piece)));
  }
  return file;
}

}  // namespace stitch::keeper
