// SPDX-License-Identifier: Apache-2.0
// Running reductions along rows (cumsum and its like): a thread, or a block, for each row; long rows in parts, of which
// first the totals are made, then the elements.
//
// A State is described in states.cuh.
//   Load:  State::Element operator()(int64_t row, int64_t column) const;
//   Store: void operator()(int64_t row, int64_t column, const State& total) const;
// or, for a State whose Element and value are floats, functors of rows (kernels/common/row.cuh), which take four
// neighbouring elements at once where the shape says `vectorised`.
#pragma once

#include "kernels/scan/states.cuh"

namespace stitch {

struct ScanShape {
  int64_t rows;
  int64_t columns;
  bool vectorised = false;  // as in RowShape
};

namespace scan_detail {

constexpr int kSerialThreads = 128;

// One result, to whichever kind of functor.
template <typename Store, typename State>
__device__ __forceinline__ void store_total(const Store& store, int64_t row, int64_t column, const State& total) {
  if constexpr (requires { store(row, column, total); }) {
    store(row, column, total);
  } else {
    store(row, column, total.value);
  }
}

template <typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kSerialThreads) scan_serial_kernel(Load load, Store store, ScanShape shape) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kSerialThreads + threadIdx.x;
  if (row >= shape.rows) {
    return;
  }
  State total = State::identity();
  for (int64_t column = 0; column < shape.columns; ++column) {
    total.append(State::of(load(row, column), column));
    store_total(store, row, column, total);
  }
}

constexpr int kLanes = 4;  // neighbouring elements that a thread takes
// Such quadruples of a thread, each 32 threads further along, so that a warp reads whole sectors and every thread has
// as many loads in flight.
constexpr int kGroups = 4;

// Inclusive, over the lanes of a warp.
template <typename State>
__device__ __forceinline__ State inclusive_in_warp(State inclusive) {
  const int lane = threadIdx.x % kWarpThreads;
#pragma unroll
  for (int distance = 1; distance < kWarpThreads; distance *= 2) {
    State before = shuffle_up(inclusive, distance);
    if (lane >= distance) {
      before.append(inclusive);
      inclusive = before;
    }
  }
  return inclusive;
}

// What stands before this warp's `own`; `block_total` becomes that of all warps. Every thread must call it.
template <int kThreads, typename State>
__device__ __forceinline__ State before_warp(const State& own, State& block_total) {
  constexpr int kWarps = kThreads / kWarpThreads;
  if constexpr (kWarps == 1) {
    block_total = own;
    return State::identity();
  } else {
    __shared__ State warp_totals[kWarps];
    const int warp = threadIdx.x / kWarpThreads;
    if (threadIdx.x % kWarpThreads == 0) {
      warp_totals[warp] = own;
    }
    __syncthreads();
    State result = State::identity();
    block_total = State::identity();
#pragma unroll
    for (int other = 0; other < kWarps; ++other) {
      if (other == warp) {
        result = block_total;
      }
      block_total.append(warp_totals[other]);
    }
    __syncthreads();  // warp_totals is free for the next call
    return result;
  }
}

// Elements of a thread: quadruple `group` begins at column first + group * kWarpThreads * kLanes.
template <typename State>
struct Chunk {
  typename State::Element elements[kGroups][kLanes];
  State before[kGroups];  // of the quadruple, within the warp

  static __device__ __forceinline__ int64_t column_of(int64_t first, int group) {
    return first + group * (kWarpThreads * kLanes);
  }

  // Vectorised, no load waits for a decision: the last elements are read instead of those beyond.
  template <typename Load>
  __device__ __forceinline__ void read(const Load& load, int64_t row, int64_t first, int64_t end, bool vectorised) {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      const int64_t column = column_of(first, group);
      if constexpr (requires { load.template lanes<kLanes>(row, column); }) {
        if (vectorised) {
          const Lanes<float, kLanes> lanes = load.template lanes<kLanes>(row, column < end ? column : end - kLanes);
#pragma unroll
          for (int lane = 0; lane < kLanes; ++lane) {
            elements[group][lane] = lanes[lane];
          }
          continue;
        }
      }
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        if (column + lane < end) {
          elements[group][lane] = load(row, column + lane);
        }
      }
    }
  }

  // Fills `before` and returns the total of the warp's elements, the same in every lane.
  __device__ __forceinline__ State scan_in_warp(int64_t first, int64_t end) {
    const int lane = threadIdx.x % kWarpThreads;
    State inclusive[kGroups];
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      if (column_of(first - lane * kLanes, group) >= end) {
        continue;  // the whole warp's
      }
      State own = State::identity();
#pragma unroll
      for (int place = 0; place < kLanes; ++place) {
        const int64_t column = column_of(first, group) + place;
        if (column < end) {
          own.append(State::of(elements[group][place], column));
        }
      }
      inclusive[group] = inclusive_in_warp(own);
    }
    State total = State::identity();
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      if (column_of(first - lane * kLanes, group) >= end) {
        continue;
      }
      before[group] = total;
      const State neighbour = shuffle_up(inclusive[group], 1);
      if (lane > 0) {
        before[group].append(neighbour);
      }
      total.append(shuffle_from(inclusive[group], kWarpThreads - 1));
    }
    return total;
  }

  template <typename Store>
  __device__ __forceinline__ void write(const Store& store, int64_t row, int64_t first, int64_t end, bool vectorised,
                                        const State& before_warp) const {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      if (column_of(first, group) >= end) {
        return;
      }
      State total = before_warp;
      total.append(before[group]);
      write_group(store, row, column_of(first, group), end, vectorised, elements[group], total);
    }
  }

 private:
  template <typename Store>
  static __device__ __forceinline__ void write_group(const Store& store, int64_t row, int64_t column, int64_t end,
                                                     bool vectorised, const typename State::Element (&elements)[kLanes],
                                                     State total) {
    if constexpr (requires(Lanes<float, kLanes> lanes) { store.template lanes<kLanes>(row, column, lanes); }) {
      Lanes<float, kLanes> values;
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        total.append(State::of(elements[lane], column + lane));
        values[lane] = total.value;
        if (!vectorised && column + lane < end) {
          store(row, column + lane, values[lane]);
        }
      }
      if (vectorised) {
        store.template lanes<kLanes>(row, column, values);
      }
    } else {
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        if (column + lane < end) {
          total.append(State::of(elements[lane], column + lane));
          store_total(store, row, column + lane, total);
        }
      }
    }
  }
};

// Columns begin..end of a row, with `carry` before them; afterwards `carry` holds what stands before `end`.
template <int kThreads, bool kStores, typename State, typename Load, typename Store>
__device__ __forceinline__ void scan_range(const Load& load, const Store& store, int64_t row, int64_t begin,
                                           int64_t end, bool vectorised, State& carry) {
  constexpr int kOfWarp = kWarpThreads * kLanes * kGroups;
  const int lane = threadIdx.x % kWarpThreads;
  const int warp = threadIdx.x / kWarpThreads;
  for (int64_t at = begin; at < end; at += kThreads * kLanes * kGroups) {
    const int64_t first = at + warp * kOfWarp + lane * kLanes;
    Chunk<State> chunk;
    chunk.read(load, row, first, end, vectorised);
    const State own = chunk.scan_in_warp(first, end);
    State block_total;
    State before = carry;
    before.append(before_warp<kThreads>(own, block_total));
    if constexpr (kStores) {
      chunk.write(store, row, first, end, vectorised, before);
    }
    carry.append(block_total);
  }
}

template <int kThreads, typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads) scan_rows_kernel(Load load, Store store, ScanShape shape) {
  State carry = State::identity();
  scan_range<kThreads, true>(load, store, static_cast<int64_t>(blockIdx.x), 0, shape.columns, shape.vectorised, carry);
}

__device__ __forceinline__ int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Whole quadruples, so that every part starts aligned.
__device__ __forceinline__ int64_t part_length(const ScanShape& shape, int64_t splits) {
  return round_up(ceil_divide(shape.columns, splits), kLanes);
}

template <int kThreads, typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    scan_part_totals_kernel(Load load, Store store, ScanShape shape, int64_t splits, State* totals) {
  const int64_t length = part_length(shape, splits);
  const int64_t begin = blockIdx.y * length;
  State carry = State::identity();
  scan_range<kThreads, false>(load, store, static_cast<int64_t>(blockIdx.x), begin,
                              least(shape.columns, begin + length), shape.vectorised, carry);
  if (threadIdx.x == 0) {
    totals[blockIdx.x * splits + blockIdx.y] = carry;
  }
}

template <int kThreads, typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    scan_parts_kernel(Load load, Store store, ScanShape shape, int64_t splits, const State* totals) {
  const int64_t length = part_length(shape, splits);
  const int64_t begin = blockIdx.y * length;
  State carry = State::identity();
  for (unsigned part = 0; part < blockIdx.y; ++part) {
    carry.append(totals[blockIdx.x * splits + part]);
  }
  scan_range<kThreads, true>(load, store, static_cast<int64_t>(blockIdx.x), begin, least(shape.columns, begin + length),
                             shape.vectorised, carry);
}

}  // namespace scan_detail

// Many rows, of which neighbouring ones are neighbours in memory: a thread each.
template <typename State, typename Load, typename Store>
cudaError_t launch_scan_serial(const Load& load, const Store& store, const ScanShape& shape, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, scan_detail::kSerialThreads));
  scan_detail::scan_serial_kernel<State, Load, Store>
      <<<blocks, scan_detail::kSerialThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

// A block of kThreads (a multiple of 32) for each row.
template <typename State, int kThreads, typename Load, typename Store>
cudaError_t launch_scan_rows(const Load& load, const Store& store, const ScanShape& shape, cudaStream_t stream) {
  scan_detail::scan_rows_kernel<kThreads, State, Load, Store>
      <<<static_cast<unsigned>(shape.rows), kThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

// `splits` blocks for each row; scratch holds rows * splits states.
template <typename State, int kThreads, typename Load, typename Store>
cudaError_t launch_scan_split(const Load& load, const Store& store, const ScanShape& shape, int64_t splits,
                              void* scratch, cudaStream_t stream) {
  auto* const totals = static_cast<State*>(scratch);
  const dim3 grid(static_cast<unsigned>(shape.rows), static_cast<unsigned>(splits));
  scan_detail::scan_part_totals_kernel<kThreads, State, Load, Store>
      <<<grid, kThreads, 0, stream>>>(load, store, shape, splits, totals);
  scan_detail::scan_parts_kernel<kThreads, State, Load, Store>
      <<<grid, kThreads, 0, stream>>>(load, store, shape, splits, totals);
  return cudaGetLastError();
}

}  // namespace stitch
