// SPDX-License-Identifier: Apache-2.0
// Rows that are too long for one block, each shared by `parts` blocks, in one launch. Every part of a row is read
// twice: once for the row's statistics, and soon after, while the cache still holds it, for what is written. The parts
// of kGroupElements elements are accumulated, then those of the next group, then the results of the first are written.
//
// A block takes the next piece of work by a ticket, so that whatever it waits for is done by blocks that began before
// it: it waits for no block that has yet to be scheduled. Partial results are joined in a fixed order.
//
// scratch: shared_rows_scratch_bytes<Accumulator>(rows, parts).
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/row_range.cuh"

namespace stitch {

template <typename Accumulator>
constexpr int64_t shared_rows_scratch_bytes(int64_t rows, int64_t parts) {
  return rows * parts * static_cast<int64_t>(sizeof(Accumulator)) + (rows + 1) * static_cast<int64_t>(sizeof(unsigned));
}

namespace shared_rows_detail {

constexpr int kThreads = 256;
constexpr int64_t kGroupElements = 1 << 20;  // of floats 4 MB: longer groups leave an H200's cache too early

struct Parts {
  int64_t length;  // of a part: whole quadruples
  Divider parts;   // of a row
  Divider stage;   // tickets of a stage: the parts of one group accumulated, those of the group before it written
  int64_t group;   // parts of a group, which is whole rows
  int64_t all;     // of all rows
};

// What a ticket stands for: the statistics of a part, or its results.
struct Piece {
  bool is_result;
  int64_t part;  // counted over all rows
};

// The first stage only accumulates. Once all parts are, what is left are the results of the last ones.
__host__ __device__ __forceinline__ Piece piece_of(const Parts& parts, int64_t ticket) {
  const int64_t first = parts.all < parts.group ? parts.all : parts.group;
  if (ticket < first) {
    return {false, ticket};
  }
  const QuotientRemainder stage = parts.stage.divide(ticket - first);
  const int64_t begin = (stage.quotient + 1) * parts.group;
  const int64_t left = parts.all - begin;
  const int64_t accumulated = left < 0 ? 0 : left < parts.group ? left : parts.group;
  if (stage.remainder < accumulated) {
    return {false, begin + stage.remainder};
  }
  return {true, accumulated < parts.group ? ticket - parts.all : begin - parts.group + stage.remainder - accumulated};
}

struct Progress {
  unsigned* ticket;
  unsigned* finished;  // parts of each row

  static __device__ __forceinline__ Progress in(void* after_partials) {
    auto* const words = static_cast<unsigned*>(after_partials);
    return {words, words + 1};
  }

  // Every thread of the block must call it.
  __device__ __forceinline__ unsigned take_ticket() const {
    __shared__ unsigned taken;
    if (threadIdx.x == 0) {
      taken = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    return taken;
  }

  __device__ __forceinline__ void finish_part(int64_t row) const {
    __threadfence();  // the partial result is seen before the count
    atomicAdd(finished + row, 1u);
  }

  __device__ __forceinline__ void wait_for(int64_t row, int64_t parts) const {
    if (threadIdx.x == 0) {
      while (atomicAdd(finished + row, 0u) < static_cast<unsigned>(parts)) {
        __nanosleep(100);
      }
      __threadfence();
    }
    __syncthreads();
  }
};

template <typename Counter>
__global__ void __launch_bounds__(kThreads) begin_kernel(Counter* counters, int64_t count) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at < count) {
    counters[at] = 0;
  }
}

// The same in every warp.
template <typename Accumulator>
__device__ __forceinline__ Accumulator join_parts(const Accumulator* partials, int64_t parts) {
  Accumulator total = Accumulator::identity();
  for (int64_t part = threadIdx.x % kWarpThreads; part < parts; part += kWarpThreads) {
    total.merge(partials[part]);
  }
  return warp_merge<kWarpThreads>(total);
}

// The first elements of a part, read while the rest of its row is waited for.
template <typename Load>
class ReadAhead {
 public:
  static constexpr int kLanes = 4;
  static constexpr int kGroups = 4;  // accesses of a thread
  static constexpr int64_t kStep = int64_t{kThreads} * kLanes;

  // Where there are none for this thread the last ones are read. Only where the shape is vectorised.
  __device__ __forceinline__ ReadAhead(const Load& load, int64_t row, int64_t begin, int64_t end)
      : first_(begin + threadIdx.x * kLanes), end_(end) {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      const int64_t column = first_ + group * kStep;
      groups_[group] = load_row_lanes<kLanes>(load, row, column < end ? column : end - kLanes);
    }
  }

  template <typename Store, typename Transform>
  __device__ __forceinline__ void write(const Store& store, int64_t row, const Transform& transform) const {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      if (const int64_t column = first_ + group * kStep; column < end_) {
        write_transformed(store, row, column, groups_[group], transform);
      }
    }
  }

 private:
  int64_t first_;
  int64_t end_;
  Lanes<float, kLanes> groups_[kGroups];
};

template <typename Accumulator, typename Load, typename Store, typename Finish>
__global__ void __launch_bounds__(kThreads)
    shared_rows_kernel(Load load, Store store, Finish finish, RowShape shape, Parts parts, Accumulator* partials) {
  const Progress progress = Progress::in(partials + parts.all);
  const Piece piece = piece_of(parts, progress.take_ticket());
  const QuotientRemainder place = parts.parts.divide(piece.part);
  const int64_t row = place.quotient;
  const int64_t begin = place.remainder * parts.length;
  const int64_t end = begin + parts.length < shape.columns ? begin + parts.length : shape.columns;
  const int thread = static_cast<int>(threadIdx.x);
  if (!piece.is_result) {
    const Accumulator part =
        block_merge<kThreads>(accumulate_range<kThreads, Accumulator>(load, row, begin, end, shape.vectorised, thread));
    if (thread == 0) {
      partials[piece.part] = part;
      progress.finish_part(row);
    }
    return;
  }
  const int64_t sharers = parts.parts.divisor();
  if (!shape.vectorised || begin >= end) {
    progress.wait_for(row, sharers);
    const auto transform = finish(join_parts(partials + row * sharers, sharers));
    write_range<kThreads>(load, store, row, begin, end, shape.vectorised, thread, transform);
    return;
  }
  const ReadAhead<Load> ahead(load, row, begin, end);
  progress.wait_for(row, sharers);
  const auto transform = finish(join_parts(partials + row * sharers, sharers));
  ahead.write(store, row, transform);
  write_range<kThreads>(load, store, row, begin + ahead.kGroups * ahead.kStep, end, true, thread, transform);
}

}  // namespace shared_rows_detail

// finish: auto operator()(const Accumulator& row) const; returns float operator()(float element) const.
template <typename Accumulator, typename Load, typename Store, typename Finish>
cudaError_t launch_shared_rows(const Load& load, const Store& store, const Finish& finish, const RowShape& shape,
                               int64_t parts, void* scratch, cudaStream_t stream) {
  using namespace shared_rows_detail;
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const int64_t group_rows = kGroupElements / shape.columns > 1 ? kGroupElements / shape.columns : 1;
  const int64_t group = group_rows * parts;
  const Parts work{round_up(ceil_divide(shape.columns, parts), 4), Divider(parts), Divider(2 * group), group,
                   shape.rows * parts};
  auto* const partials = static_cast<Accumulator*>(scratch);
  auto* const counters = reinterpret_cast<unsigned*>(partials + work.all);
  begin_kernel<unsigned>
      <<<static_cast<unsigned>(ceil_divide(shape.rows + 1, kThreads)), kThreads, 0, stream>>>(counters, shape.rows + 1);
  shared_rows_kernel<Accumulator, Load, Store, Finish>
      <<<static_cast<unsigned>(2 * work.all), kThreads, 0, stream>>>(load, store, finish, shape, work, partials);
  return cudaGetLastError();
}

}  // namespace stitch
