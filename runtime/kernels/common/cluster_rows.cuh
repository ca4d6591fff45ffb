// SPDX-License-Identifier: Apache-2.0
// Rows that a cluster of blocks keeps in its shared memory (sm_90 and later): each block reads its part of a row once,
// the parts' totals are joined through distributed shared memory in a fixed order, and every block writes what follows
// from its part. Several blocks of other rows run beside it on a multiprocessor, so that one reads while another
// writes.
//
// What is read and what is written need not take lanes both: channels of an odd number of places have a weight each,
// which keeps the storer from lanes, while the loader does not know of them.
//
// load, term: as in kernels/reduce/rewrite.cuh, called with (row, column); finish: as in kernels/common/held_rows.cuh,
// and may have void prefetch(const Store& store, int64_t row) const.
// Settings: kThreads of a block, and the number of blocks, 2, 4 or 8. Rows whose cluster_rows_bytes() do not fit a
// block are read twice instead, each by one block.
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/clusters.cuh"
#include "kernels/common/row_range.cuh"
#include "kernels/common/shared_memory.cuh"
#include "kernels/common/warp.cuh"
#include "ptx/cluster.cuh"

namespace stitch {

struct ClusterRowShape {
  int64_t rows;
  int64_t columns;
  bool loads_lanes;   // as RowShape::vectorised, for load alone
  bool stores_lanes;  // and for store
  int64_t blocks;     // of a cluster
};

// Elements of a block's part of a row: whole quadruples.
constexpr int64_t cluster_rows_part(int64_t columns, int64_t blocks) {
  return round_up(ceil_divide(columns, blocks), 4);
}
// Dynamic shared memory of a block.
constexpr int64_t cluster_rows_bytes(int64_t columns, int64_t blocks) {
  return cluster_rows_part(columns, blocks) * static_cast<int64_t>(sizeof(float));
}

namespace cluster_rows_detail {

constexpr int kMostBlocks = 8;
constexpr int64_t kMostBytes = 226 * 1024;  // of a block: an H200 has 227 KB, some of which totals take

struct Part {
  int64_t row;
  int64_t begin;
  int count;  // elements; none in the last blocks of a short row
};

// Adds up a batch of a thread's groups, of which those from `there` on are none of its part.
template <int kLanes, int kGroups, typename Accumulator, typename Term>
__device__ __forceinline__ void accumulate_groups(Accumulator& total, const Term& term, const Part& part, int at,
                                                  int step, const Lanes<float, kLanes> (&groups)[kGroups]) {
  float terms[kGroups * kLanes];
#pragma unroll
  for (int group = 0; group < kGroups; ++group) {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      terms[group * kLanes + lane] = term(part.row, part.begin + at + group * step + lane, groups[group][lane]);
    }
  }
  total.add(terms);
}

// Reads the part into `kept`; returns the total of this thread's elements.
template <typename Accumulator, int kThreads, int kLanes, typename Load, typename Term>
__device__ __forceinline__ Accumulator read_part(const Load& load, const Term& term, const Part& part, float* kept) {
  constexpr int kUnroll = kLanes > 1 ? 4 : 8;  // accesses in flight before the first use
  constexpr int kStep = kThreads * kLanes;
  Accumulator total = Accumulator::identity();
  int at = static_cast<int>(threadIdx.x) * kLanes;
  for (; at + (kUnroll - 1) * kStep < part.count; at += kUnroll * kStep) {
    Lanes<float, kLanes> groups[kUnroll];
#pragma unroll
    for (int group = 0; group < kUnroll; ++group) {
      groups[group] = load_row_lanes<kLanes>(load, part.row, part.begin + at + group * kStep);
    }
#pragma unroll
    for (int group = 0; group < kUnroll; ++group) {
      store_lanes(kept + at + group * kStep, groups[group]);
    }
    accumulate_groups<kLanes>(total, term, part, at, kStep, groups);
  }
  if (at < part.count) {  // the rest, in flight together: what lies beyond the end is the first of it once more
    Lanes<float, kLanes> rest[kUnroll - 1];
#pragma unroll
    for (int group = 0; group < kUnroll - 1; ++group) {
      const int place = at + group * kStep;
      rest[group] = load_row_lanes<kLanes>(load, part.row, part.begin + (place < part.count ? place : at));
    }
#pragma unroll
    for (int group = 0; group < kUnroll - 1; ++group) {
      if (const int place = at + group * kStep; place < part.count) {
        const Lanes<float, kLanes> one[1] = {rest[group]};
        store_lanes(kept + place, rest[group]);
        accumulate_groups<kLanes>(total, term, part, place, kStep, one);
      }
    }
  }
  return total;
}

template <int kThreads, int kLanes, typename Writer>
__device__ __forceinline__ void write_part(const Writer& writer, const Part& part, const float* kept) {
#pragma unroll 4
  for (int at = static_cast<int>(threadIdx.x) * kLanes; at < part.count; at += kThreads * kLanes) {
    store_row_lanes<kLanes>(writer, part.row, part.begin + at, load_lanes<kLanes>(kept + at));
  }
}

// Sends this block's total to the block of rank `to`, whose place for it is `slot`.
template <typename Accumulator>
__device__ __forceinline__ void send_total(const Accumulator& total, const Accumulator* slot, uint32_t to) {
  static_assert(sizeof(Accumulator) % sizeof(float) == 0, "accumulators are structs of 32-bit words");
  union Words {
    __device__ Words() {}
    Accumulator value;
    float word[sizeof(Accumulator) / sizeof(float)];
  } words;
  words.value = total;
  const uint32_t address = ptx::cluster_address(slot, to);
#pragma unroll
  for (int word = 0; word < static_cast<int>(sizeof(Accumulator) / sizeof(float)); ++word) {
    ptx::cluster_store(address + word * static_cast<uint32_t>(sizeof(float)), words.word[word]);
  }
}

template <typename Accumulator, int kThreads, typename Load, typename Term, typename Store, typename Finish>
__global__ void __launch_bounds__(kThreads, 1024 / kThreads)
    cluster_rows_kernel(Load load, Term term, Store store, Finish finish, ClusterRowShape shape, int64_t length) {
#ifdef STITCH_HAS_CLUSTERS
  extern __shared__ __align__(16) float shared_part[];
  __shared__ Accumulator totals[kMostBlocks];
  ptx::cluster_arrive();
  const auto blocks = static_cast<int>(shape.blocks);
  const auto rank = static_cast<int>(ptx::cluster_rank());
  const int64_t begin = rank * length;
  const int64_t left = shape.columns - begin;
  const Part part{static_cast<int64_t>(blockIdx.x) / blocks, begin,
                  static_cast<int>(left < 0 ? 0 : (left < length ? left : length))};
  if constexpr (requires { finish.prefetch(store, part.row); }) {
    if (threadIdx.x == 0) {
      finish.prefetch(store, part.row);
    }
  }
  const Accumulator own =
      block_merge<kThreads>(shape.loads_lanes ? read_part<Accumulator, kThreads, 4>(load, term, part, shared_part)
                                              : read_part<Accumulator, kThreads, 1>(load, term, part, shared_part));
  ptx::cluster_wait();  // all blocks are there
  if (static_cast<int>(threadIdx.x) < blocks) {
    send_total(own, totals + rank, threadIdx.x);
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();  // and have sent their totals; what is kept is seen by the whole block too
  Accumulator total = totals[0];
  for (int block = 1; block < blocks; ++block) {
    total.merge(totals[block]);
  }
  const auto writer = finish(store, total);
  if constexpr (requires { writer.finish_row(part.row); }) {
    if (rank == blocks - 1 && threadIdx.x == kThreads - 1) {
      writer.finish_row(part.row);
    }
  }
  if (shape.stores_lanes) {
    write_part<kThreads, 4>(writer, part, shared_part);
  } else {
    write_part<kThreads, 1>(writer, part, shared_part);
  }
#endif
}

template <typename Load, typename Term>
struct TermsOf {
  const Load& load;
  const Term& term;

  __device__ __forceinline__ float operator()(int64_t row, int64_t column) const {
    return term(row, column, load(row, column));
  }
};

// Where there are no clusters, or a row is too long for one: a block reads its row twice.
template <typename Accumulator, int kThreads, typename Load, typename Term, typename Store, typename Finish>
__global__ void __launch_bounds__(kThreads)
    single_rows_kernel(Load load, Term term, Store store, Finish finish, ClusterRowShape shape) {
  const int64_t row = blockIdx.x;
  const auto thread = static_cast<int>(threadIdx.x);
  const Accumulator part = accumulate_range<kThreads, Accumulator>(TermsOf<Load, Term>{load, term}, row, 0,
                                                                   shape.columns, shape.loads_lanes, thread);
  const auto writer = finish(store, block_merge<kThreads>(part));
  write_range<kThreads>(load, writer, row, 0, shape.columns, shape.loads_lanes && shape.stores_lanes, thread,
                        [](float value) { return value; });
  if constexpr (requires { writer.finish_row(row); }) {
    if (thread == 0) {
      writer.finish_row(row);
    }
  }
}

}  // namespace cluster_rows_detail

template <typename Accumulator, int kThreads, typename Load, typename Term, typename Store, typename Finish>
cudaError_t launch_cluster_rows(const Load& load, const Term& term, const Store& store, const Finish& finish,
                                const ClusterRowShape& shape, cudaStream_t stream) {
  using namespace cluster_rows_detail;
  if (shape.blocks < 2 || shape.blocks > kMostBlocks) {
    return cudaErrorInvalidValue;
  }
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const auto kernel = cluster_rows_kernel<Accumulator, kThreads, Load, Term, Store, Finish>;
  const int64_t bytes = cluster_rows_bytes(shape.columns, shape.blocks);
  if (bytes > kMostBytes || !runs_clusters(kernel) ||
      allow_shared_memory(kernel, static_cast<int>(bytes)) != cudaSuccess) {
    cudaGetLastError();  // a device may have less, which is no error
    single_rows_kernel<Accumulator, kThreads, Load, Term, Store, Finish>
        <<<static_cast<unsigned>(shape.rows), kThreads, 0, stream>>>(load, term, store, finish, shape);
    return cudaGetLastError();
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(shape.blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.rows * shape.blocks));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, cluster_rows_kernel<Accumulator, kThreads, Load, Term, Store, Finish>, load, term,
                            store, finish, shape, cluster_rows_part(shape.columns, shape.blocks));
}

}  // namespace stitch
