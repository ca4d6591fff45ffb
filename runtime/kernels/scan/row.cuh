// SPDX-License-Identifier: Apache-2.0
// Running reductions along rows (cumsum and its like): a thread, or a block, for each row; long rows in parts, of which
// first the totals are made, then the elements.
//
// A State is described in states.cuh.
//   Load:  State::Element operator()(int64_t row, int64_t column) const;
//   Store: void operator()(int64_t row, int64_t column, const State& total) const;
#pragma once

#include "kernels/scan/states.cuh"

namespace stitch {

struct ScanShape {
  int64_t rows;
  int64_t columns;
};

namespace scan_detail {

constexpr int kSerialThreads = 128;

template <typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kSerialThreads) scan_serial_kernel(Load load, Store store, ScanShape shape) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kSerialThreads + threadIdx.x;
  if (row >= shape.rows) {
    return;
  }
  State total = State::identity();
  for (int64_t column = 0; column < shape.columns; ++column) {
    total.append(State::of(load(row, column), column));
    store(row, column, total);
  }
}

// What stands before this thread's element; `block_total` becomes that of all threads. Every thread must call it.
template <int kThreads, typename State>
__device__ __forceinline__ State exclusive_in_block(const State& own, State& block_total) {
  constexpr int kWarps = kThreads / kWarpThreads;
  __shared__ State warp_totals[kWarps];
  const int lane = threadIdx.x % kWarpThreads;
  const int warp = threadIdx.x / kWarpThreads;
  State inclusive = own;
#pragma unroll
  for (int distance = 1; distance < kWarpThreads; distance *= 2) {
    State before = shuffle_up(inclusive, distance);
    if (lane >= distance) {
      before.append(inclusive);
      inclusive = before;
    }
  }
  if (lane == kWarpThreads - 1) {
    warp_totals[warp] = inclusive;
  }
  __syncthreads();
  State result = State::identity();
  block_total = State::identity();
  for (int other = 0; other < kWarps; ++other) {
    if (other == warp) {
      result = block_total;
    }
    block_total.append(warp_totals[other]);
  }
  const State before = shuffle_up(inclusive, 1);
  if (lane > 0) {
    result.append(before);
  }
  __syncthreads();  // warp_totals is free for the next call
  return result;
}

// Columns begin..end of a row, with `carry` before them; afterwards `carry` holds what stands before `end`.
template <int kThreads, bool kStores, typename State, typename Load, typename Store>
__device__ __forceinline__ void scan_range(const Load& load, const Store& store, int64_t row, int64_t begin,
                                           int64_t end, State& carry) {
  constexpr int kPerThread = 4;
  for (int64_t chunk = begin; chunk < end; chunk += kThreads * kPerThread) {
    const int64_t first = chunk + threadIdx.x * kPerThread;
    State parts[kPerThread];
    State own = State::identity();
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      if (first + place < end) {
        parts[place] = State::of(load(row, first + place), first + place);
        own.append(parts[place]);
      }
    }
    State block_total;
    State before = carry;
    before.append(exclusive_in_block<kThreads>(own, block_total));
    if constexpr (kStores) {
#pragma unroll
      for (int place = 0; place < kPerThread; ++place) {
        if (first + place < end) {
          before.append(parts[place]);
          store(row, first + place, before);
        }
      }
    }
    carry.append(block_total);
  }
}

template <int kThreads, typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads) scan_rows_kernel(Load load, Store store, ScanShape shape) {
  State carry = State::identity();
  scan_range<kThreads, true>(load, store, static_cast<int64_t>(blockIdx.x), 0, shape.columns, carry);
}

__device__ __forceinline__ int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

template <int kThreads, typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    scan_part_totals_kernel(Load load, Store store, ScanShape shape, int64_t splits, State* totals) {
  const int64_t length = ceil_divide(shape.columns, splits);
  const int64_t begin = blockIdx.y * length;
  State carry = State::identity();
  scan_range<kThreads, false>(load, store, static_cast<int64_t>(blockIdx.x), begin,
                              least(shape.columns, begin + length), carry);
  if (threadIdx.x == 0) {
    totals[blockIdx.x * splits + blockIdx.y] = carry;
  }
}

template <int kThreads, typename State, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    scan_parts_kernel(Load load, Store store, ScanShape shape, int64_t splits, const State* totals) {
  const int64_t length = ceil_divide(shape.columns, splits);
  const int64_t begin = blockIdx.y * length;
  State carry = State::identity();
  for (unsigned part = 0; part < blockIdx.y; ++part) {
    carry.append(totals[blockIdx.x * splits + part]);
  }
  scan_range<kThreads, true>(load, store, static_cast<int64_t>(blockIdx.x), begin, least(shape.columns, begin + length),
                             carry);
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
