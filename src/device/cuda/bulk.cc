// SPDX-License-Identifier: Apache-2.0
#include "device/bulk.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "device/buffer.h"
#include "device/bulk_words.h"
#include "device/common/status.h"
#include "device/cuda/bulk_kernels.h"

namespace stitch::device {
namespace {

#ifdef STITCH_HAS_BULK_KERNELS

Result<std::vector<uint64_t>> digests(const std::vector<Extent>& extents, uint64_t key) {
  const uint64_t bytes = extents.size() * sizeof(uint64_t);
  STITCH_ASSIGN(const Buffer sums, Buffer::allocate(bytes));
  auto* const first = reinterpret_cast<unsigned long long*>(sums.data());
  STITCH_TRY(check(cudaMemsetAsync(first, 0, bytes), "taking digests"));
  for (size_t i = 0; i < extents.size(); ++i) {
    STITCH_TRY(check(launch_digest(extents[i].data, extents[i].bytes, key, first + i), "taking a digest"));
  }
  std::vector<uint64_t> found(extents.size());
  STITCH_TRY(copy_to_host(reinterpret_cast<std::byte*>(found.data()), sums.data(), bytes));
  for (size_t i = 0; i < extents.size(); ++i) {
    found[i] = digest_of_sum(key, found[i], extents[i].bytes);
  }
  return found;
}

Result<void> fill(std::byte* data, uint64_t bytes, uint64_t seed) {
  STITCH_TRY(check(launch_fill(data, bytes, seed), "filling with random bytes"));
  return check(cudaDeviceSynchronize(), "filling with random bytes");
}

Result<void> mix(const std::vector<Mix>& mixes) {
  for (const Mix& each : mixes) {
    STITCH_TRY(
        check(launch_mix(each.to, each.first, each.second, each.bytes, each.width, each.seed), "mixing contents"));
  }
  return check(cudaDeviceSynchronize(), "mixing contents");
}

// Pieces of 16 bytes with a tail, and elements alone where a place is not aligned for pieces.
Result<bool> mixes_as_the_host_does(uint64_t width, uint64_t offset) {
  constexpr uint64_t kBytes = 1000;
  constexpr uint64_t kRoom = 1024;
  constexpr uint64_t kSeed = 11;
  STITCH_ASSIGN(const Buffer buffer, Buffer::allocate(3 * kRoom));
  STITCH_TRY(fill(buffer.data(), 3 * kRoom, kSeed));
  std::vector<std::byte> expected(3 * kRoom);
  STITCH_TRY(copy_to_host(expected.data(), buffer.data(), 3 * kRoom));
  for (uint64_t i = 0; i < kBytes / width; ++i) {
    const uint64_t from = (takes_first(kSeed, i) ? kRoom : 2 * kRoom) + i * width;
    std::memcpy(expected.data() + offset + i * width, expected.data() + from, width);
  }
  STITCH_TRY(mix({{.to = buffer.data() + offset,
                   .first = buffer.data() + kRoom,
                   .second = buffer.data() + 2 * kRoom,
                   .bytes = kBytes,
                   .width = width,
                   .seed = kSeed}}));
  std::vector<std::byte> found(3 * kRoom);
  STITCH_TRY(copy_to_host(found.data(), buffer.data(), 3 * kRoom));
  return found == expected;
}

Result<void> check_mixes() {
  for (const uint64_t width : {uint64_t{2}, uint64_t{4}, uint64_t{8}}) {
    for (const uint64_t offset : {uint64_t{0}, uint64_t{8}}) {
      STITCH_ASSIGN(const bool is_right, mixes_as_the_host_does(width, offset));
      if (!is_right) {
        return failure(ErrorCode::kEnvironment, "the GPU mixes contents in another way than the host", "",
                       "check the GPU: nvidia-smi -q, dmesg");
      }
    }
  }
  return {};
}

// That the kernels run here and do what the host would do: a piece of memory that is not aligned, and what lies beside
// it.
Result<void> check_kernels() {
  constexpr uint64_t kBytes = 1000;
  constexpr uint64_t kOffset = 3;
  constexpr uint64_t kFilled = 901;
  constexpr uint64_t kSeed = 7;
  STITCH_ASSIGN(const Buffer buffer, Buffer::allocate(kBytes));
  STITCH_TRY(check(cudaMemset(buffer.data(), 0, kBytes), "checking the keeper's kernels"));
  STITCH_TRY(fill(buffer.data() + kOffset, kFilled, kSeed));
  std::array<std::byte, kBytes> host{};
  STITCH_TRY(copy_to_host(host.data(), buffer.data(), kBytes));
  std::array<std::byte, kBytes> expected{};
  for (uint64_t i = kOffset; i < kOffset + kFilled; ++i) {
    expected[i] = static_cast<std::byte>(random_word(kSeed, i / 8) >> (8 * (i % 8)));
  }
  uint64_t sum = 0;
  for (uint64_t i = 0; i < (kFilled + 7) / 8; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, host.data() + kOffset + 8 * i, std::min<uint64_t>(8, kFilled - 8 * i));
    sum += part_of_digest(kSeed, i, word);
  }
  STITCH_ASSIGN(const std::vector<uint64_t> found, digests({{buffer.data() + kOffset, kFilled}}, kSeed));
  if (host != expected || found[0] != digest_of_sum(kSeed, sum, kFilled)) {
    return failure(ErrorCode::kEnvironment, "the GPU computes other digests than the host", "",
                   "check the GPU: nvidia-smi -q, dmesg");
  }
  return check_mixes();
}

Result<void> checked_once() {
  static const Result<void> checked = check_kernels();
  return checked;
}

#endif

}  // namespace

#ifdef STITCH_HAS_BULK_KERNELS

Result<std::optional<std::vector<uint64_t>>> digests_on_device(const std::vector<Extent>& extents, uint64_t key) {
  STITCH_TRY(checked_once());
  STITCH_ASSIGN(std::vector<uint64_t> found, digests(extents, key));
  return std::optional(std::move(found));
}

Result<bool> fill_on_device(std::byte* data, uint64_t bytes, uint64_t seed) {
  STITCH_TRY(checked_once());
  STITCH_TRY(fill(data, bytes, seed));
  return true;
}

Result<bool> mix_on_device(const std::vector<Mix>& mixes) {
  STITCH_TRY(checked_once());
  STITCH_TRY(mix(mixes));
  return true;
}

Result<bool> copy_alone(void* stream, std::byte* to, const std::byte* from, uint64_t bytes) {
  STITCH_TRY(check(launch_copy_alone(to, from, bytes, static_cast<cudaStream_t>(stream)), "emptying the L2 cache"));
  return true;
}

#else

Result<bool> copy_alone(void*, std::byte*, const std::byte*, uint64_t) { return false; }

Result<std::optional<std::vector<uint64_t>>> digests_on_device(const std::vector<Extent>&, uint64_t) {
  return std::optional<std::vector<uint64_t>>();
}

Result<bool> fill_on_device(std::byte*, uint64_t, uint64_t) { return false; }

Result<bool> mix_on_device(const std::vector<Mix>&) { return false; }

#endif

}  // namespace stitch::device
