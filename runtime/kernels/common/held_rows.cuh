// SPDX-License-Identifier: Apache-2.0
// Rows that are too long for one block, each held by several: a block keeps its part of a row in registers until the
// row's other parts are reduced too, and then writes it. So everything is read once and written once.
//
// The blocks of a row follow each other and run at about the same time, but nothing depends on that: a block that has
// waited too long, on a device with room for fewer blocks than the row has parts, leaves its part, and the block that
// reduces the last part of a row writes what was left, reading it again. Partial results are joined in a fixed order.
//
// load, term: as in kernels/reduce/rewrite.cuh, called with (row, column).
// finish: auto operator()(const Store& store, const Accumulator& row) const; returns a row storer, which may have
//         void finish_row(int64_t row) const: one thread calls it, once a row.
// scratch: held_rows_scratch_bytes<Accumulator>(rows, parts), parts = ceil(columns / (kThreads * kPerThread)).
#pragma once

#include "kernels/common/row_in_registers.cuh"
#include "kernels/common/shared_rows.cuh"

namespace stitch {

template <typename Accumulator>
constexpr int64_t held_rows_scratch_bytes(int64_t rows, int64_t parts) {
  return rows * parts * static_cast<int64_t>(sizeof(Accumulator) + sizeof(unsigned)) +
         rows * static_cast<int64_t>(sizeof(unsigned));
}

// A term that is the element itself.
struct OwnTerm {
  __device__ __forceinline__ float operator()(int64_t, int64_t, float value) const { return value; }
};

// A row storer that changes each element first.
template <typename Store, typename Transform>
struct TransformingStore {
  const Store& store;
  Transform transform;

  __device__ __forceinline__ void operator()(int64_t row, int64_t column, float value) const {
    store(row, column, transform(value));
  }

  template <int kLanes>
  __device__ __forceinline__ void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>& values) const {
    write_transformed(store, row, column, values, transform);
  }
};

// A `finish` from one that makes a transformation of elements.
template <typename Transformation>
struct FinishByTransforming {
  Transformation transformation;

  template <typename Store, typename Accumulator>
  __device__ __forceinline__ auto operator()(const Store& store, const Accumulator& row) const {
    const auto transform = transformation(row);
    return TransformingStore<Store, decltype(transformation(row))>{store, transform};
  }
};

namespace held_rows_detail {

enum class Outcome : unsigned { kWhole, kLast, kLeft };  // of waiting for a row

// States of a part.
constexpr unsigned kHeld = 0;
constexpr unsigned kLeftBehind = 1;
constexpr unsigned kClosed = 2;  // the row is whole, and whoever holds the part will see that

struct RowProgress {
  unsigned* finished;  // parts of each row
  unsigned* states;    // of all parts
  int64_t parts;       // of a row

  // One thread of the block calls it, after it has written its partial result.
  __device__ __forceinline__ Outcome arrive_and_wait(int64_t row, int64_t part) const {
    constexpr int kTurns = 1000;  // about a millisecond
    __threadfence();              // the partial result is seen before the count
    const auto all = static_cast<unsigned>(parts);
    if (atomicAdd(finished + row, 1u) + 1 == all) {
      __threadfence();
      return Outcome::kLast;
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      if (atomicAdd(finished + row, 0u) == all) {
        __threadfence();
        return Outcome::kWhole;
      }
      __nanosleep(50);
    }
    const bool is_left = atomicCAS(states + row * parts + part, kHeld, kLeftBehind) == kHeld;
    __threadfence();
    return is_left ? Outcome::kLeft : Outcome::kWhole;
  }

  // Whether any part of a whole row was left. Every thread of the block calls it; from now on no part is.
  template <int kThreads>
  __device__ __forceinline__ bool close(int64_t row) const {
    int is_any_left = 0;
    for (int64_t part = threadIdx.x; part < parts; part += kThreads) {
      is_any_left |= atomicCAS(states + row * parts + part, kHeld, kClosed) == kLeftBehind;
    }
    return __syncthreads_or(is_any_left) != 0;
  }

  __device__ __forceinline__ bool was_left(int64_t row, int64_t part) const {
    return atomicAdd(states + row * parts + part, 0u) == kLeftBehind;
  }
};

template <typename Writer>
__device__ __forceinline__ void finish_row(const Writer& writer, int64_t row) {
  if constexpr (requires { writer.finish_row(row); }) {
    if (threadIdx.x == 0) {
      writer.finish_row(row);
    }
  }
}

template <int kThreads, typename Load, typename Writer>
__device__ __noinline__ void write_left(const Load& load, const Writer& writer, const RowShape& shape,
                                        const RowProgress& progress, int64_t row, int64_t length) {
  for (int64_t part = 0; part < progress.parts; ++part) {
    if (progress.was_left(row, part)) {
      const int64_t begin = part * length;
      const int64_t end = begin + length < shape.columns ? begin + length : shape.columns;
      write_range<kThreads>(load, writer, row, begin, end, shape.vectorised, static_cast<int>(threadIdx.x),
                            [](float value) { return value; });
    }
  }
}

template <typename Accumulator, int kThreads, int kPerThread, typename Load, typename Term, typename Store,
          typename Finish>
__global__ void __launch_bounds__(kThreads, 1024 / kThreads)
    held_rows_kernel(Load load, Term term, Store store, Finish finish, RowShape shape, Divider parts,
                     Accumulator* partials, unsigned* counters) {
  const int64_t sharers = parts.divisor();
  const RowProgress progress{counters, counters + shape.rows, sharers};
  const QuotientRemainder place = parts.divide(blockIdx.x);
  const int64_t row = place.quotient;
  using Part = RowInRegisters<kThreads, kPerThread, Load>;
  const Part elements(load, shape, row, static_cast<int>(threadIdx.x), place.remainder * Part::kCapacity);
  const Accumulator own = block_merge<kThreads>(elements.template accumulate_resident<Accumulator>(term));
  __shared__ Outcome outcome;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = own;
    outcome = progress.arrive_and_wait(row, place.remainder);
  }
  __syncthreads();
  if (outcome == Outcome::kLeft) {
    return;
  }
  const auto writer = finish(store, shared_rows_detail::join_parts(partials + row * sharers, sharers));
  elements.write_resident(writer, [](float value) { return value; });
  if (outcome == Outcome::kLast) {
    finish_row(writer, row);
  }
  if (outcome == Outcome::kLast && progress.template close<kThreads>(row)) {
    write_left<kThreads>(load, writer, shape, progress, row, Part::kCapacity);
  }
}

}  // namespace held_rows_detail

template <typename Accumulator, int kThreads, int kPerThread, typename Load, typename Term, typename Store,
          typename Finish>
cudaError_t launch_held_rows(const Load& load, const Term& term, const Store& store, const Finish& finish,
                             const RowShape& shape, void* scratch, cudaStream_t stream) {
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const int64_t parts = ceil_divide(shape.columns, int64_t{kThreads} * kPerThread);
  const int64_t all = shape.rows * parts;
  auto* const partials = static_cast<Accumulator*>(scratch);
  auto* const counters = reinterpret_cast<unsigned*>(partials + all);
  constexpr int kBegin = shared_rows_detail::kThreads;
  shared_rows_detail::begin_kernel<unsigned>
      <<<static_cast<unsigned>(ceil_divide(shape.rows + all, kBegin)), kBegin, 0, stream>>>(counters, shape.rows + all);
  held_rows_detail::held_rows_kernel<Accumulator, kThreads, kPerThread, Load, Term, Store, Finish>
      <<<static_cast<unsigned>(all), kThreads, 0, stream>>>(load, term, store, finish, shape, Divider(parts), partials,
                                                            counters);
  return cudaGetLastError();
}

}  // namespace stitch
