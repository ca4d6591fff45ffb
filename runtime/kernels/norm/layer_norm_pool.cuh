// SPDX-License-Identifier: Apache-2.0
// Layer normalisation along the last axis, pooled before it leaves the registers, by windows that lie side by side over
// the last two or three axes. Lanes of a warp read all rows under a row of windows, each row once and all of them in
// flight together; what is normalised is never written.
//
// load: a row loader (kernels/common/row.cuh) of the input, whose rows are numbered planes * depth * height.
// element: float operator()(int64_t row, int64_t column, float value) const, what is pooled, from a normalised element.
// store: a storer of the pooled rows, numbered planes * out_depth * out_height.
// Settings: kThreads lanes of a row, 8, 16 or 32; kPerThread elements of a row each, a multiple of 4. A row has at most
// kThreads * kPerThread elements.
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/rows_of_lanes.cuh"
#include "kernels/pool/joins.cuh"

namespace stitch {

// The window, and what becomes of its elements. kWidth divides four: the elements that a thread has side by side.
template <typename JoinOfWindow, int kDepth, int kHeight, int kWidth>
struct PoolBlock {
  using Join = JoinOfWindow;
  static constexpr int depth = kDepth;
  static constexpr int height = kHeight;
  static constexpr int width = kWidth;
  static constexpr int rows = kDepth * kHeight;
};

struct NormPoolShape {
  int64_t planes;
  int64_t depth;
  int64_t height;
  int64_t columns;
  int64_t out_depth;
  int64_t out_height;
  int64_t out_columns;
  bool loads_lanes;   // as RowShape::vectorised, of the loader
  bool stores_lanes;  // of the storer
};

namespace norm_pool_detail {

constexpr int kBlockThreads = 128;
constexpr int kLanes = kLanesOfRow;

template <typename Pool, int kThreads, int kPerThread, typename Store>
__device__ __forceinline__ void store_pooled(const float (&joined)[kPerThread / Pool::width], const Store& store,
                                             int64_t row, const NormPoolShape& shape, float divisor) {
  constexpr int kTogether = kLanes / Pool::width;
  using Rows = RowsOfLanes<kThreads, kPerThread, 1>;
#pragma unroll
  for (int group = 0; group < kPerThread / kLanes; ++group) {
    const int64_t column = Rows::column(group * kLanes) / Pool::width;
    Lanes<float, kTogether> lanes;
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      lanes[i] = Pool::Join::finish(joined[group * kTogether + i], divisor);
    }
    if (shape.stores_lanes) {
      if (column < shape.out_columns) {
        store_row_lanes<kTogether>(store, row, column, lanes);
      }
      continue;
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      if (column + i < shape.out_columns) {
        store(row, column + i, lanes[i]);
      }
    }
  }
}

template <typename Pool, int kThreads, int kPerThread, typename Load, typename Element, typename Store>
__global__ void __launch_bounds__(kBlockThreads)
    layer_norm_pool_kernel(Load load, Element element, Store store, NormPoolShape shape, Divider out_height,
                           Divider out_depth, float epsilon, float divisor) {
  constexpr int kRowsPerBlock = kBlockThreads / kThreads;
  constexpr int kInRegisters = 64 / kPerThread;  // rows, so that a thread has some registers left
  constexpr int kAtOnce = Pool::rows < kInRegisters ? Pool::rows : kInRegisters;
  using Rows = RowsOfLanes<kThreads, kPerThread, kAtOnce>;
  const int64_t pooled_rows = shape.planes * shape.out_depth * shape.out_height;
  const int64_t wanted = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kThreads;
  // Lanes without a row of their own take part in their warp's sums.
  const int64_t row = wanted < pooled_rows ? wanted : pooled_rows - 1;
  const QuotientRemainder y = out_height.divide(row);
  const QuotientRemainder z = out_depth.divide(y.quotient);
  const int64_t first =
      (z.quotient * shape.depth + z.remainder * Pool::depth) * shape.height + y.remainder * Pool::height;
  float joined[kPerThread / Pool::width];
#pragma unroll
  for (float& one : joined) {
    one = Pool::Join::identity;
  }
#pragma unroll
  for (int begin = 0; begin < Pool::rows; begin += kAtOnce) {
    Rows rows;
    const auto row_at = [&](int i) {
      return first + (begin + i) / Pool::height * shape.height + (begin + i) % Pool::height;
    };
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (begin + i < Pool::rows) {
        rows.read(i, load, row_at(i), shape.columns, shape.loads_lanes);
      }
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (begin + i < Pool::rows) {
        rows.normalise(i, shape.columns, epsilon);
      }
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
#pragma unroll
      for (int place = 0; place < kPerThread; ++place) {
        if (begin + i < Pool::rows && Rows::column(place) < shape.columns) {
          joined[place / Pool::width] = Pool::Join::join(
              joined[place / Pool::width], element(row_at(i), Rows::column(place), rows.values[i][place]));
        }
      }
    }
  }
  if (wanted < pooled_rows) {
    store_pooled<Pool, kThreads, kPerThread>(joined, store, row, shape, divisor);
  }
}

}  // namespace norm_pool_detail

template <typename Pool, int kThreads, int kPerThread, typename Load, typename Element, typename Store>
cudaError_t launch_layer_norm_pool(const Load& load, const Element& element, const Store& store,
                                   const NormPoolShape& shape, float epsilon, float divisor, cudaStream_t stream) {
  static_assert(kThreads == 8 || kThreads == 16 || kThreads == 32, "lanes of one warp share a row");
  static_assert(kPerThread % norm_pool_detail::kLanes == 0, "a thread keeps whole groups of 4 elements");
  static_assert(norm_pool_detail::kLanes % Pool::width == 0, "a window lies within the elements of a thread");
  const int64_t pooled_rows = shape.planes * shape.out_depth * shape.out_height;
  if (pooled_rows == 0 || shape.out_columns == 0) {
    return cudaSuccess;
  }
  if (shape.columns > int64_t{kThreads} * kPerThread) {
    return cudaErrorInvalidValue;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(pooled_rows, norm_pool_detail::kBlockThreads / kThreads));
  norm_pool_detail::layer_norm_pool_kernel<Pool, kThreads, kPerThread, Load, Element, Store>
      <<<blocks, norm_pool_detail::kBlockThreads, 0, stream>>>(load, element, store, shape, Divider(shape.out_height),
                                                               Divider(shape.out_depth), epsilon, divisor);
  return cudaGetLastError();
}

}  // namespace stitch
