// SPDX-License-Identifier: Apache-2.0
// Reductions of kernels/reduce/positions.cuh along an axis behind which others lie in memory: neighbouring threads take
// neighbouring kept indices and kSharers threads share the reduced axis of the same ones. Where there are enough kept
// indices a thread takes four, a block's width apart, so that each access of a warp reads neighbours whatever the
// alignment. A row that one thread alone walked down kept 2,048 threads of a multiprocessor each waiting for its own
// loads, at 0.7 of an H100's bandwidth; sharers read neighbouring lines at once.
//
// Load and Store as in positions.cuh. kSharers: a power of two up to 32.
#pragma once

#include "kernels/reduce/column.cuh"
#include "kernels/reduce/positions.cuh"

namespace stitch {

namespace reduce_detail {

// Elements begin + sharer, begin + sharer + kSharers, ... of each lane's kept index, the lanes kStep apart; several
// are read before the first is used. The last kept index stands for those beyond.
template <typename Accumulator, int kSharers, int kLanes, int kStep, typename Load>
struct PositionLanes {
  using Element = typename Accumulator::Element;
  static constexpr int kInFlight = sizeof(Element) <= 4 ? 16 : 8;
  static constexpr int kMany = kInFlight / kLanes;
  const Load& load;
  int64_t kept[kLanes];
  Accumulator totals[kLanes];

  __device__ __forceinline__ PositionLanes(const Load& from, int64_t first, int64_t last) : load(from) {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t wanted = first + lane * kStep;
      kept[lane] = wanted < last ? wanted : last;
      totals[lane] = Accumulator::identity();
    }
  }

  __device__ __forceinline__ void read(int64_t begin, int64_t end, int sharer) {
    int64_t at = begin + sharer;
    for (; at + (kMany - 1) * kSharers < end; at += kMany * kSharers) {
      read_group<kMany>(at);
    }
    for (; at < end; at += kSharers) {
      read_group<1>(at);
    }
  }

 private:
  template <int kCount>
  __device__ __forceinline__ void read_group(int64_t at) {
    Element elements[kLanes][kCount];
#pragma unroll
    for (int place = 0; place < kCount; ++place) {
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        elements[lane][place] = load(kept[lane], at + place * kSharers);
      }
    }
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      add_positions<kSharers>(totals[lane], elements[lane], at);
    }
  }
};

// Joins the sharers of a kept index; the result is valid in sharer 0.
template <int kSharers, typename Accumulator>
__device__ __forceinline__ void merge_position_sharers(Accumulator& total, int column, int sharer) {
  if constexpr (kSharers > 1) {
    __shared__ Accumulator slots[kSharers][kColumnThreads<kSharers>];
    slots[sharer][column] = total;
    __syncthreads();
    if (sharer == 0) {
      for (int other = 1; other < kSharers; ++other) {
        total.merge(slots[other][column]);
      }
    }
    __syncthreads();  // the next lane's may come
  }
}

// Part blockIdx.y of gridDim.y of each kept index.
template <typename Accumulator, int kSharers, int kLanes, typename Load, typename Store>
__global__ void __launch_bounds__(ColumnPlace<kSharers, kLanes>::kThreads)
    reduce_position_columns_kernel(Load load, Store store, int64_t kept_count, int64_t columns, int64_t length) {
  using Place = ColumnPlace<kSharers, kLanes, true>;
  const Place place(blockIdx.x);
  const int64_t begin = blockIdx.y * length;
  const int64_t end = begin + length < columns ? begin + length : columns;
  PositionLanes<Accumulator, kSharers, kLanes, Place::kStep, Load> lanes(load, place.kept, kept_count - 1);
  lanes.read(begin, place.kept < kept_count ? end : begin, place.sharer);
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    const int64_t kept = place.kept + lane * Place::kStep;
    merge_position_sharers<kSharers>(lanes.totals[lane], place.column, place.sharer);
    if (place.sharer == 0 && kept < kept_count) {
      store(kept, lanes.totals[lane]);
    }
  }
}

// Where the parts of a kept index wait for each other, beside one another.
template <typename Accumulator>
struct StorePart {
  Accumulator* parts;

  __device__ void operator()(int64_t kept, const Accumulator& total) const {
    parts[kept * gridDim.y + blockIdx.y] = total;
  }
};

template <typename Accumulator, int kSharers, int kLanes, typename Load, typename Store>
cudaError_t launch_position_columns_of_lanes(const Load& load, const Store& store, int64_t kept, int64_t columns,
                                             int64_t splits, cudaStream_t stream) {
  using Place = ColumnPlace<kSharers, kLanes, true>;
  const dim3 grid(static_cast<unsigned>(ceil_divide(kept, Place::kKeptPerBlock)), static_cast<unsigned>(splits));
  reduce_position_columns_kernel<Accumulator, kSharers, kLanes, Load, Store>
      <<<grid, Place::kThreads, 0, stream>>>(load, store, kept, columns, ceil_divide(columns, splits));
  return cudaGetLastError();
}

}  // namespace reduce_detail

template <typename Accumulator, int kSharers, typename Load, typename Store>
cudaError_t launch_reduce_position_columns(const Load& load, const Store& store, int64_t kept, int64_t columns,
                                           cudaStream_t stream) {
  if (kept >= kMinKeptApart) {
    return reduce_detail::launch_position_columns_of_lanes<Accumulator, kSharers, 4>(load, store, kept, columns, 1,
                                                                                     stream);
  }
  return reduce_detail::launch_position_columns_of_lanes<Accumulator, kSharers, 1>(load, store, kept, columns, 1,
                                                                                   stream);
}

// Few kept indices: `splits` blocks share the same ones; scratch is kept * splits accumulators.
template <typename Accumulator, int kSharers, typename Load, typename Store>
cudaError_t launch_reduce_position_columns_split(const Load& load, const Store& store, int64_t kept, int64_t columns,
                                                 int64_t splits, void* scratch, cudaStream_t stream) {
  auto* const parts = static_cast<Accumulator*>(scratch);
  const reduce_detail::StorePart<Accumulator> part{parts};
  const cudaError_t launched = reduce_detail::launch_position_columns_of_lanes<Accumulator, kSharers, 1>(
      load, part, kept, columns, splits, stream);
  if (launched != cudaSuccess) {
    return launched;
  }
  reduce_detail::merge_position_parts_kernel<Accumulator, Store>
      <<<static_cast<unsigned>(kept), kWarpThreads, 0, stream>>>(parts, store, splits);
  return cudaGetLastError();
}

}  // namespace stitch
