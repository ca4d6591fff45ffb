// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>

#include <utility>

#include "device/bulk_words.h"
#include "device/cuda/bulk_kernels.h"

namespace stitch::device {
namespace {

constexpr unsigned kThreads = 256;
constexpr uint64_t kMaxBlocks = 4096;

unsigned blocks_for(uint64_t words) {
  const uint64_t blocks = (words + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

// Aligned words that hold the region; memory is handed out in larger pieces, so that all of each may be read.
struct Words {
  uint64_t* first;
  unsigned offset;  // of the region's first byte in the first word
};

Words words_of(const void* data) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  return {reinterpret_cast<uint64_t*>(address & ~uintptr_t{7}), static_cast<unsigned>(address & 7)};
}

__global__ void add_parts(Words region, uint64_t bytes, uint64_t key, unsigned long long* sum) {
  const uint64_t words = (bytes + 7) / 8;
  unsigned long long mine = 0;
  for (uint64_t i = blockIdx.x * uint64_t{kThreads} + threadIdx.x; i < words; i += uint64_t{gridDim.x} * kThreads) {
    const uint64_t left = bytes - 8 * i;
    const bool spans_two = region.offset + (left < 8 ? left : 8) > 8;
    const uint64_t second = spans_two ? region.first[i + 1] : 0;
    mine += part_of_digest(key, i, word_across(region.first[i], second, region.offset, left));
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    mine += __shfl_down_sync(0xffffffffu, mine, lane);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(sum, mine);
  }
}

__global__ void write_random(Words region, uint64_t bytes, uint64_t seed) {
  const uint64_t end = region.offset + bytes;  // in bytes from the first word
  const uint64_t words = (end + 7) / 8;
  for (uint64_t i = blockIdx.x * uint64_t{kThreads} + threadIdx.x; i < words; i += uint64_t{gridDim.x} * kThreads) {
    const uint64_t word = random_word(seed, i);
    if (8 * i >= region.offset && 8 * (i + 1) <= end) {
      region.first[i] = word;
      continue;
    }
    auto* bytes_here = reinterpret_cast<unsigned char*>(region.first + i);
    for (unsigned byte = 0; byte < 8; ++byte) {  // what lies beside the region stays as it is
      if (8 * i + byte >= region.offset && 8 * i + byte < end) {
        bytes_here[byte] = static_cast<unsigned char>(word >> (8 * byte));
      }
    }
  }
}

// The first `pieces` pieces of 16 bytes whole, each with one load and one store; what is behind them by elements.
template <typename Element>
__global__ void mix_elements(Element* to, const Element* first, const Element* second, uint64_t count, uint64_t pieces,
                             uint64_t seed) {
  constexpr unsigned kOfPiece = sizeof(uint4) / sizeof(Element);
  const uint64_t begin = blockIdx.x * uint64_t{kThreads} + threadIdx.x;
  const uint64_t step = uint64_t{gridDim.x} * kThreads;
  for (uint64_t piece = begin; piece < pieces; piece += step) {
    const uint4 from_first = reinterpret_cast<const uint4*>(first)[piece];
    uint4 mixed = reinterpret_cast<const uint4*>(second)[piece];
    const uint64_t element = piece * kOfPiece;  // those of a piece share a word of the mask
    const uint64_t mask = random_word(seed, element / 64) >> (element % 64);
    const auto* taken = reinterpret_cast<const Element*>(&from_first);
    auto* made = reinterpret_cast<Element*>(&mixed);
#pragma unroll
    for (unsigned i = 0; i < kOfPiece; ++i) {
      made[i] = ((mask >> i) & 1) != 0 ? taken[i] : made[i];
    }
    reinterpret_cast<uint4*>(to)[piece] = mixed;
  }
  for (uint64_t i = pieces * kOfPiece + begin; i < count; i += step) {
    to[i] = takes_first(seed, i) ? first[i] : second[i];
  }
}

template <typename Element>
cudaError_t mix_as(void* to, const void* first, const void* second, uint64_t bytes, uint64_t seed) {
  const uintptr_t places =
      reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(first) | reinterpret_cast<uintptr_t>(second);
  const uint64_t pieces = places % sizeof(uint4) == 0 ? bytes / sizeof(uint4) : 0;
  const uint64_t count = bytes / sizeof(Element);
  mix_elements<<<blocks_for(pieces > 0 ? pieces : count), kThreads>>>(
      static_cast<Element*>(to), static_cast<const Element*>(first), static_cast<const Element*>(second), count, pieces,
      seed);
  return cudaGetLastError();
}

constexpr unsigned kCopyThreads = 1024;
constexpr int kAtOnce = 4;  // loads in flight of each thread

// No multiprocessor begins before all are taken, and none is given back before all have done their part: whoever waits
// for one finds no gap at either end.
__global__ void __launch_bounds__(kCopyThreads) copy_words(uint4* to, const uint4* from, uint64_t count) {
  cooperative_groups::this_grid().sync();
  const uint64_t step = uint64_t{gridDim.x} * kCopyThreads;
  uint64_t i = blockIdx.x * uint64_t{kCopyThreads} + threadIdx.x;
  for (; i + (kAtOnce - 1) * step < count; i += kAtOnce * step) {
    uint4 words[kAtOnce];
#pragma unroll
    for (int turn = 0; turn < kAtOnce; ++turn) {
      words[turn] = from[i + turn * step];
    }
#pragma unroll
    for (int turn = 0; turn < kAtOnce; ++turn) {
      to[i + turn * step] = words[turn];
    }
  }
  for (; i < count; i += step) {
    to[i] = from[i];
  }
  cooperative_groups::this_grid().sync();
}

__device__ uint64_t nanoseconds() {
  uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

constexpr uint64_t kMaxTurnNs = 50'000;  // of the loop below, unless another process had the device meanwhile

// The first block goes on until `kFirstGoes`, the others until `kAllGo`; the last keeps the time.
__global__ void hold_multiprocessors(HoldSignals* signals, unsigned* arrived, unsigned long long limit_ns) {
  uint64_t last = nanoseconds();
  uint64_t held = 0;
  if (atomicAdd(arrived, 1u) + 1 == gridDim.x) {
    *const_cast<volatile unsigned*>(&signals->taken) = 1;
    __threadfence_system();
  }
  const unsigned until = blockIdx.x == 0 ? kFirstGoes : kAllGo;
  while (*const_cast<volatile unsigned*>(&signals->release) < until && held < limit_ns) {
    __nanosleep(500);
    const uint64_t now = nanoseconds();
    held += now - last < kMaxTurnNs ? now - last : kMaxTurnNs;
    last = now;
    if (blockIdx.x + 1 == gridDim.x) {
      *const_cast<volatile unsigned long long*>(&signals->held_ns) = held;
    }
  }
}

struct Whole {
  cudaError_t status = cudaSuccess;
  int multiprocessors = 0;
  int shared_bytes = 0;
};

// What a kernel is launched with so that each of its blocks has a multiprocessor for itself.
Whole whole_device(const void* kernel) {
  Whole shape;
  int device = 0;
  shape.status = cudaGetDevice(&device);
  for (const auto& [value, attribute] : {std::pair{&shape.multiprocessors, cudaDevAttrMultiProcessorCount},
                                         {&shape.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin}}) {
    shape.status = shape.status == cudaSuccess ? cudaDeviceGetAttribute(value, attribute, device) : shape.status;
  }
  if (shape.status == cudaSuccess) {
    shape.status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shape.shared_bytes);
  }
  return shape;
}

}  // namespace

cudaError_t launch_copy_alone(void* to, const void* from, uint64_t bytes, cudaStream_t stream) {
  static const Whole whole = whole_device(reinterpret_cast<const void*>(copy_words));
  if (whole.status != cudaSuccess) {
    return whole.status;
  }
  auto* words_to = static_cast<uint4*>(to);
  const auto* words_from = static_cast<const uint4*>(from);
  uint64_t count = bytes / sizeof(uint4);
  void* arguments[] = {&words_to, &words_from, &count};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(copy_words),
                                     dim3(static_cast<unsigned>(whole.multiprocessors)), dim3(kCopyThreads), arguments,
                                     static_cast<size_t>(whole.shared_bytes), stream);
}

cudaError_t launch_hold(HoldSignals* signals, unsigned* arrived, uint64_t limit_ns, cudaStream_t stream) {
  static const Whole whole = whole_device(reinterpret_cast<const void*>(hold_multiprocessors));
  if (whole.status != cudaSuccess) {
    return whole.status;
  }
  hold_multiprocessors<<<static_cast<unsigned>(whole.multiprocessors), 1, static_cast<size_t>(whole.shared_bytes),
                         stream>>>(signals, arrived, limit_ns);
  return cudaGetLastError();
}

cudaError_t launch_digest(const void* data, uint64_t bytes, uint64_t key, unsigned long long* sum) {
  if (bytes > 0) {
    add_parts<<<blocks_for((bytes + 7) / 8), kThreads>>>(words_of(data), bytes, key, sum);
  }
  return cudaGetLastError();
}

cudaError_t launch_fill(void* data, uint64_t bytes, uint64_t seed) {
  if (bytes > 0) {
    write_random<<<blocks_for(bytes / 8 + 2), kThreads>>>(words_of(data), bytes, seed);
  }
  return cudaGetLastError();
}

cudaError_t launch_mix(void* to, const void* first, const void* second, uint64_t bytes, uint64_t width, uint64_t seed) {
  if (bytes == 0) {
    return cudaSuccess;
  }
  switch (width) {
    case 2:
      return mix_as<uint16_t>(to, first, second, bytes, seed);
    case 4:
      return mix_as<uint32_t>(to, first, second, bytes, seed);
    case 8:
      return mix_as<uint64_t>(to, first, second, bytes, seed);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace stitch::device
