// SPDX-License-Identifier: Apache-2.0
// Max and average pooling by tiles, each element read once by a block: a thread walks down some neighbouring columns of
// the input and joins, for each of kRows rows of the output, what the windows hold of them; then neighbouring threads
// join those columns of a window, from shared memory. Functors and windows as in kernels/pool/window.cuh, without
// indices.
//
// load may also have, with three axes: template <int kLanes> Lanes<float, kLanes> lanes(int64_t plane, int64_t z,
// int64_t y, int64_t x) const, called where x is a multiple of kLanes and `vectorised` has been proved (as in RowShape,
// with the width as columns).
#pragma once

#include "kernels/pool/window.cuh"
#include "ptx/extremes.cuh"

namespace stitch {

namespace pool_detail {

struct LargestOf {
  static constexpr float identity = -INFINITY;
  static __device__ __forceinline__ float join(float a, float b) { return ptx::largest(a, b); }
};

struct SumOf {
  static constexpr float identity = 0.0f;
  static __device__ __forceinline__ float join(float a, float b) { return a + b; }
};

// How far the window's elements lie apart, the first and the last.
template <typename Window>
inline constexpr int kReachX = (Window::kernel_x - 1) * Window::dilation_x;
template <typename Window>
inline constexpr int kReachY = (Window::kernel_y - 1) * Window::dilation_y;

// Rows of the input that kRows rows of the output lie over.
template <typename Window, int kRows>
inline constexpr int kInputRows = (kRows - 1) * Window::stride_y + kReachY<Window> + 1;

// Row `input` of those, counted from the first, is in the window of row `output`.
template <typename Window>
__host__ __device__ constexpr bool holds_row(int output, int input) {
  const int inside = input - output * Window::stride_y;
  return inside >= 0 && inside <= kReachY<Window> && inside % Window::dilation_y == 0;
}

template <typename Window, int kRows>
__host__ __device__ constexpr bool is_row_used(int input) {
  for (int output = 0; output < kRows; ++output) {
    if (holds_row<Window>(output, input)) {
      return true;
    }
  }
  return false;
}

// Accesses to a row that a thread has in flight where it has no other rows to read.
template <typename Window, int kRows>
inline constexpr int kParts = Window::kernel_z * kInputRows<Window, kRows> > 2
                                  ? 1
                                  : 4 / (Window::kernel_z * kInputRows<Window, kRows>);

// How the outputs are shared out. A group is kRows rows of one plane's layer, one below the other; a tile is some of
// its columns, all of them where they fit.
struct Tiling {
  Divider tiles;           // of a group
  Divider row_groups;      // of a layer
  Divider layers;          // of a plane
  Divider vectors;         // accesses of a thread that a row of a tile takes, at most
  Divider threads_of_row;  // that store one row of a tile
  int64_t all_groups;
  int groups;        // of a block
  int tile_columns;  // of the output
  int pitch;         // columns of the input that a tile keeps
};

template <typename Window, int kRows, int kLanes>
struct TilingOf {
  static constexpr int kParts = pool_detail::kParts<Window, kRows>;
  static constexpr int kMostColumns = kThreads * kLanes * kParts;
  static constexpr int kSharedFloats = 12 * 1024;
  static_assert(kReachX<Window> < kThreads / 2, "a window that wide leaves no tile");

  // Columns under so many of the output, and those that alignment adds.
  static constexpr int64_t columns_under(int64_t outputs) {
    return round_up((outputs - 1) * Window::stride_x + kReachX<Window> + kLanes, kLanes);
  }

  static Tiling make(const PoolShape& shape) {
    Tiling tiling;
    int64_t tiles = 1;
    const int64_t held = round_up(shape.width, kLanes);
    if ((held < columns_under(shape.out_width) ? held : columns_under(shape.out_width)) > kMostColumns) {
      const int64_t most = (kMostColumns - kReachX<Window> - kLanes) / Window::stride_x + 1;
      tiles = ceil_divide(shape.out_width, most);
    }
    const int64_t outputs = ceil_divide(shape.out_width, tiles);
    const int64_t pitch = columns_under(outputs);
    const int64_t vectors = ceil_divide((held < pitch ? held : pitch) / kLanes, kParts);
    const int64_t by_threads = kThreads / vectors;
    const int64_t by_memory = kSharedFloats / (kRows * pitch);
    const int64_t groups = by_threads < by_memory ? by_threads : by_memory;
    const int64_t row_groups = ceil_divide(shape.out_height, kRows);
    tiling.tiles = Divider(tiles);
    tiling.row_groups = Divider(row_groups);
    tiling.layers = Divider(shape.out_depth);
    tiling.vectors = Divider(vectors);
    tiling.threads_of_row = Divider(outputs < kThreads ? outputs : kThreads);
    tiling.all_groups = shape.planes * shape.out_depth * row_groups;
    tiling.groups = static_cast<int>(groups > 1 ? groups : 1);
    tiling.tile_columns = static_cast<int>(outputs);
    tiling.pitch = static_cast<int>(pitch);
    return tiling;
  }
};

struct GroupPlace {
  int64_t plane;
  int64_t z;
  int64_t y;  // its first row
};

template <int kRank, int kRows>
__device__ __forceinline__ GroupPlace group_place(const Tiling& tiling, int64_t group) {
  const QuotientRemainder layer = tiling.row_groups.divide(group);
  if constexpr (kRank < 3) {
    return {layer.quotient, 0, layer.remainder * kRows};
  }
  const QuotientRemainder plane = tiling.layers.divide(layer.quotient);
  return {plane.quotient, plane.remainder, layer.remainder * kRows};
}

template <int kRank, int kLanes, typename Load>
__device__ __forceinline__ Lanes<float, kLanes> load_lanes_at(const Load& load, int64_t plane, int64_t z, int64_t y,
                                                              int64_t x) {
  if constexpr (kLanes == 1) {
    return {load_at<kRank>(load, plane, z, y, x)};
  } else if constexpr (kRank == 3) {
    return load.template lanes<kLanes>(plane, z, y, x);
  } else {
    return load.template lanes<kLanes>(plane, y, x);
  }
}

template <typename Load>
inline constexpr bool kLoadTakesLanes = requires(const Load& load) {
  load.template lanes<4>(int64_t{}, int64_t{}, int64_t{});
} || requires(const Load& load) { load.template lanes<4>(int64_t{}, int64_t{}, int64_t{}, int64_t{}); };

// Joins rows of the input, from `first` on, into the rows of the output that hold them. kIsInside: all rows are there.
template <typename Window, typename Join, bool kIsInside, int kRows, int kParts, int kLanes, typename Load>
__device__ __forceinline__ void join_rows(const Load& load, const PoolShape& shape, const GroupPlace& first,
                                          const int64_t (&x)[kParts], Lanes<float, kLanes> (&joined)[kRows][kParts]) {
#pragma unroll
  for (int kz = 0; kz < Window::kernel_z; ++kz) {
    const int64_t z = first.z + kz * Window::dilation_z;
    if (!kIsInside && (z < 0 || z >= shape.depth)) {
      continue;
    }
#pragma unroll
    for (int row = 0; row < kInputRows<Window, kRows>; ++row) {
      const int64_t y = first.y + row;
      if (!is_row_used<Window, kRows>(row) || (!kIsInside && (y < 0 || y >= shape.height))) {
        continue;
      }
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const Lanes<float, kLanes> values = load_lanes_at<Window::rank, kLanes>(load, first.plane, z, y, x[part]);
#pragma unroll
        for (int output = 0; output < kRows; ++output) {
#pragma unroll
          for (int lane = 0; lane < kLanes; ++lane) {
            if (holds_row<Window>(output, row)) {
              joined[output][part][lane] = Join::join(joined[output][part][lane], values[lane]);
            }
          }
        }
      }
    }
  }
}

// What the windows of a group hold of kLanes columns from each x on.
template <typename Window, typename Join, int kRows, int kParts, int kLanes, typename Load>
__device__ __forceinline__ void join_columns(const Load& load, const PoolShape& shape, const GroupPlace& group,
                                             const int64_t (&x)[kParts],
                                             Lanes<float, kLanes> (&joined)[kRows][kParts]) {
  const GroupPlace first{group.plane, group.z * Window::stride_z - Window::padding_z,
                         group.y * Window::stride_y - Window::padding_y};
#pragma unroll
  for (int output = 0; output < kRows; ++output) {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      joined[output][part] = broadcast_lanes<kLanes>(Join::identity);
    }
  }
  const int64_t last_z = first.z + (Window::kernel_z - 1) * Window::dilation_z;
  const int64_t last_y = first.y + kInputRows<Window, kRows> - 1;
  if (first.z >= 0 && last_z < shape.depth && first.y >= 0 && last_y < shape.height) {
    join_rows<Window, Join, true>(load, shape, first, x, joined);
  } else {
    join_rows<Window, Join, false>(load, shape, first, x, joined);
  }
}

// `at`, a multiple of kLanes, counts elements. The compiler sees that the place is aligned.
template <int kLanes>
__device__ __forceinline__ void store_shared_lanes(float* shared, int at, const Lanes<float, kLanes>& values) {
  if constexpr (kLanes == 4) {
    reinterpret_cast<float4*>(shared)[at / 4] = make_float4(values[0], values[1], values[2], values[3]);
  } else {
    shared[at] = values[0];
  }
}

// The columns of a tile in shared memory: kRows rows of `pitch` for each group.
struct TileColumns {
  float* values;
  int64_t first;  // column of the input that stands first, perhaps left of it; a multiple of the lanes
  int pitch;

  __device__ __forceinline__ float* row(int row) const { return values + row * pitch; }
};

template <typename Window, typename Join, int kRows, int kLanes, typename Load>
__device__ __forceinline__ void fill_tile(const Load& load, const PoolShape& shape, const Tiling& tiling,
                                          int64_t first_group, const TileColumns& tile) {
  constexpr int kParts = pool_detail::kParts<Window, kRows>;
  const int64_t from = tile.first > 0 ? tile.first : 0;
  const int64_t end = tile.first + tile.pitch < shape.width ? tile.first + tile.pitch : shape.width;
  const int vectors = static_cast<int>(tiling.vectors.divisor());
  for (int item = threadIdx.x; item < tiling.groups * vectors; item += kThreads) {
    const QuotientRemainder split = tiling.vectors.divide(item);
    const int64_t group = first_group + split.quotient;
    int64_t x[kParts];
    bool is_there[kParts];
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      x[part] = from + (split.remainder + part * vectors) * kLanes;
      is_there[part] = x[part] < end;
      x[part] = is_there[part] ? x[part] : end - kLanes;
    }
    if (group < tiling.all_groups) {
      Lanes<float, kLanes> joined[kRows][kParts];
      join_columns<Window, Join>(load, shape, group_place<Window::rank, kRows>(tiling, group), x, joined);
      const int first_row = static_cast<int>(split.quotient) * kRows;
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
#pragma unroll
        for (int part = 0; part < kParts; ++part) {
          if (is_there[part]) {
            const int column = static_cast<int>(x[part] - tile.first);
            store_shared_lanes(tile.values, (first_row + row) * tile.pitch + column, joined[row][part]);
          }
        }
      }
    }
  }
}

// What is kept of columns beside the input adds nothing to a window.
template <typename Join, int kRows>
__device__ __forceinline__ void fill_padding(const PoolShape& shape, const Tiling& tiling, const TileColumns& tile) {
  const int left = tile.first < 0 ? static_cast<int>(-tile.first) : 0;
  const int64_t beyond = tile.first + tile.pitch - shape.width;
  const int right = beyond > 0 ? (beyond < tile.pitch ? static_cast<int>(beyond) : tile.pitch) : 0;
  const int outside = left + right;
  for (int at = threadIdx.x; at < outside * tiling.groups * kRows; at += kThreads) {
    const int column = at % outside;
    tile.row(at / outside)[column < left ? column : tile.pitch - outside + column] = Join::identity;
  }
}

// finish(place, joined): what is stored of a window.
template <typename Window, typename Join, int kRows, typename Store, typename Finish>
__device__ __forceinline__ void store_tile(const Store& store, const PoolShape& shape, const Tiling& tiling,
                                           int64_t first_group, int64_t first_output, const TileColumns& tile,
                                           const Finish& finish) {
  constexpr int kMostUnrolled = 32;
  constexpr int kUnrolled = Window::kernel_x <= kMostUnrolled ? kMostUnrolled : 4;
  const int threads = static_cast<int>(tiling.threads_of_row.divisor());
  const int rows_at_once = kThreads / threads;
  const QuotientRemainder split = tiling.threads_of_row.divide(threadIdx.x);
  if (split.quotient >= rows_at_once) {
    return;
  }
  const int64_t left = shape.out_width - first_output;
  const int outputs = left < tiling.tile_columns ? static_cast<int>(left) : tiling.tile_columns;
  const int skipped = static_cast<int>(first_output * Window::stride_x - Window::padding_x - tile.first);
  for (int row = static_cast<int>(split.quotient); row < tiling.groups * kRows; row += rows_at_once) {
    const int64_t group = first_group + row / kRows;
    const GroupPlace place = group_place<Window::rank, kRows>(tiling, group);
    const int64_t y = place.y + row % kRows;
    if (group >= tiling.all_groups || y >= shape.out_height) {
      continue;
    }
    for (int output = static_cast<int>(split.remainder); output < outputs; output += threads) {
      const float* const window = tile.row(row) + skipped + output * Window::stride_x;
      float joined = window[0];
#pragma unroll(kUnrolled)
      for (int kx = 1; kx < Window::kernel_x; ++kx) {
        joined = Join::join(joined, window[kx * Window::dilation_x]);
      }
      const OutputPlace out{place.plane, place.z, y, first_output + output, true};
      store_at<Window::rank>(store, out, finish(out, joined));
    }
  }
}

template <typename Window, typename Join, int kRows, int kLanes, typename Load, typename Store, typename Finish>
__device__ __forceinline__ void pool_tile(const Load& load, const Store& store, const PoolShape& shape,
                                          const Tiling& tiling, const Finish& finish) {
  extern __shared__ __align__(16) float tile_columns[];
  const QuotientRemainder block = tiling.tiles.divide(blockIdx.x);
  const int64_t first_group = block.quotient * tiling.groups;
  const int64_t first_output = block.remainder * tiling.tile_columns;
  const int64_t first = first_output * Window::stride_x - Window::padding_x;
  const TileColumns tile{tile_columns, first & -int64_t{kLanes}, tiling.pitch};
  fill_tile<Window, Join, kRows, kLanes>(load, shape, tiling, first_group, tile);
  fill_padding<Join, kRows>(shape, tiling, tile);
  __syncthreads();
  store_tile<Window, Join, kRows>(store, shape, tiling, first_group, first_output, tile, finish);
}

struct AsItIs {
  __device__ __forceinline__ float operator()(const OutputPlace&, float joined) const { return joined; }
};

// Elements of one axis that an average divides by, of which only windows at the border have fewer than kKernel.
template <PoolDivisor kDivisor, int kKernel, int kStride, int kPadding>
__device__ __forceinline__ int divisor_along(int64_t out, int64_t extent) {
  if constexpr (kKernel == 1 && kPadding == 0) {
    return 1;
  } else {
    const int64_t start = out * kStride - kPadding;
    const int64_t beyond = start + kKernel - extent - (kDivisor == PoolDivisor::kWithPadding ? kPadding : 0);
    const int before = kDivisor == PoolDivisor::kInsideInput && start < 0 ? static_cast<int>(-start) : 0;
    return kKernel - before - (beyond > 0 ? static_cast<int>(beyond) : 0);
  }
}

template <typename Window, PoolDivisor kDivisor, int kDivisorOverride>
struct Averaged {
  PoolShape shape;
  __device__ __forceinline__ float operator()(const OutputPlace& out, float sum) const {
    if constexpr (kDivisorOverride != 0) {
      return sum / static_cast<float>(kDivisorOverride);
    } else {
      const int divisor =
          divisor_along<kDivisor, Window::kernel_z, Window::stride_z, Window::padding_z>(out.z, shape.depth) *
          divisor_along<kDivisor, Window::kernel_y, Window::stride_y, Window::padding_y>(out.y, shape.height) *
          divisor_along<kDivisor, Window::kernel_x, Window::stride_x, Window::padding_x>(out.x, shape.width);
      return sum / static_cast<float>(divisor);
    }
  }
};

template <typename Window, typename Join, int kRows, int kLanes, typename Load, typename Store, typename Finish>
__global__ void __launch_bounds__(kThreads)
    pool_tile_kernel(Load load, Store store, PoolShape shape, Tiling tiling, Finish finish) {
  pool_tile<Window, Join, kRows, kLanes>(load, store, shape, tiling, finish);
}

template <typename Window, typename Join, int kRows, int kLanes, typename Load, typename Store, typename Finish>
cudaError_t launch_tiles(const Load& load, const Store& store, const PoolShape& shape, const Finish& finish,
                         cudaStream_t stream) {
  const Tiling tiling = TilingOf<Window, kRows, kLanes>::make(shape);
  const int64_t blocks = ceil_divide(tiling.all_groups, tiling.groups) * tiling.tiles.divisor();
  const int bytes = tiling.groups * kRows * tiling.pitch * static_cast<int>(sizeof(float));
  pool_tile_kernel<Window, Join, kRows, kLanes, Load, Store, Finish>
      <<<static_cast<unsigned>(blocks), kThreads, bytes, stream>>>(load, store, shape, tiling, finish);
  return cudaGetLastError();
}

template <typename Window, typename Join, int kRows, typename Load, typename Store, typename Finish>
cudaError_t launch_tiles_of_lanes(const Load& load, const Store& store, const PoolShape& shape, bool vectorised,
                                  const Finish& finish, cudaStream_t stream) {
  if (output_dividers(shape).outputs == 0) {
    return cudaSuccess;
  }
  if constexpr (kLoadTakesLanes<Load>) {
    if (vectorised) {
      return launch_tiles<Window, Join, kRows, 4>(load, store, shape, finish, stream);
    }
  }
  return launch_tiles<Window, Join, kRows, 1>(load, store, shape, finish, stream);
}

}  // namespace pool_detail

// kRows: of the output, that a thread has in registers.
template <typename Window, int kRows, typename Load, typename Store>
cudaError_t launch_max_pool_tiles(const Load& load, const Store& store, const PoolShape& shape, bool vectorised,
                                  cudaStream_t stream) {
  return pool_detail::launch_tiles_of_lanes<Window, pool_detail::LargestOf, kRows>(load, store, shape, vectorised,
                                                                                   pool_detail::AsItIs{}, stream);
}

template <typename Window, PoolDivisor kDivisor, int kDivisorOverride, int kRows, typename Load, typename Store>
cudaError_t launch_average_pool_tiles(const Load& load, const Store& store, const PoolShape& shape, bool vectorised,
                                      cudaStream_t stream) {
  const pool_detail::Averaged<Window, kDivisor, kDivisorOverride> finish{shape};
  return pool_detail::launch_tiles_of_lanes<Window, pool_detail::SumOf, kRows>(load, store, shape, vectorised, finish,
                                                                               stream);
}

}  // namespace stitch
