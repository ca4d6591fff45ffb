// SPDX-License-Identifier: Apache-2.0
// Tile loaders that gather the input of a convolution: every thread stays with one output pixel and walks along k, so
// that a warp reads neighbouring pixels and the pixel's place is found once.
#pragma once

#include "kernels/conv/gemm_view.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

template <int kPixels, int kDepth, int kThreads>
struct GatherPart {
  static_assert(kThreads % kPixels == 0, "every thread stays with one pixel");
  static constexpr int kStep = kThreads / kPixels;
  static_assert(kDepth % kStep == 0, "every thread gathers whole rows");
  static constexpr int kRows = kDepth / kStep;

  static __device__ __forceinline__ int pixel() { return static_cast<int>(threadIdx.x) % kPixels; }
  static __device__ __forceinline__ int k(int row) { return static_cast<int>(threadIdx.x) / kPixels + row * kStep; }
};

// For kernels/gemm/ffma_mainloop.cuh.
template <int kPixels, int kDepth, int kThreads, typename Window>
class FfmaGather {
 public:
  static constexpr int kStride = kPixels + 4;

  __device__ __forceinline__ FfmaGather(const ConvInput<Window>& input, int64_t first_pixel, int64_t pixels,
                                        int64_t k_end)
      : input_(input), k_end_(k_end), inside_(first_pixel + Part::pixel() < pixels) {
    corner_ = input_.corner(inside_ ? first_pixel + Part::pixel() : 0);
  }

  __device__ __forceinline__ void fetch(int64_t k_start) {
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      const int64_t k = k_start + Part::k(row);
      const float* source = inside_ && k < k_end_ ? input_.source(corner_, static_cast<uint32_t>(k)) : nullptr;
      values_[row] = source != nullptr ? *source : 0.0f;
    }
  }

  __device__ __forceinline__ void deposit(float* tile) const {
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      tile[Part::k(row) * kStride + Part::pixel()] = values_[row];
    }
  }

 private:
  using Part = GatherPart<kPixels, kDepth, kThreads>;

  const ConvInput<Window>& input_;
  int64_t k_end_;
  bool inside_;
  typename ConvInput<Window>::Corner corner_;
  float values_[Part::kRows];
};

// For kernels/gemm/mma_mainloop.cuh.
template <int kPixels, int kDepth, int kThreads, typename Window>
class MmaGather {
 public:
  static constexpr Layout layout = Layout::kContiguousOuter;

  __device__ __forceinline__ MmaGather(const ConvInput<Window>& input, int64_t first_pixel, int64_t pixels,
                                       int64_t k_end)
      : input_(input), k_end_(k_end), inside_(first_pixel + Part::pixel() < pixels) {
    corner_ = input_.corner(inside_ ? first_pixel + Part::pixel() : 0);
  }

  __device__ __forceinline__ void begin(float* tile, int64_t k_start) const {
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      const int64_t k = k_start + Part::k(row);
      const float* source = inside_ && k < k_end_ ? input_.source(corner_, static_cast<uint32_t>(k)) : nullptr;
      float* target = tile + MmaTileLayout<kPixels, kDepth, layout>::offset(Part::pixel(), Part::k(row));
      ptx::cp_async_4(target, source != nullptr ? source : input_.data, source != nullptr ? 4 : 0);
    }
  }

  __device__ __forceinline__ void finish(float*) const {}

  __device__ __forceinline__ float element(int64_t pixel, int64_t k) const {
    const float* source = input_.source(input_.corner(pixel), static_cast<uint32_t>(k));
    return source != nullptr ? *source : 0.0f;
  }

 private:
  using Part = GatherPart<kPixels, kDepth, kThreads>;

  const ConvInput<Window>& input_;
  int64_t k_end_;
  bool inside_;
  typename ConvInput<Window>::Corner corner_;
};

}  // namespace stitch
