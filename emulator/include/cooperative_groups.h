// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, tiles of up to a warp, and coalesced groups. Groups across blocks are refused by the
// rewriter.
#pragma once

#include "stitch_emulator/collective.h"
#include "stitch_emulator/shuffle.h"
#include "stitch_emulator/synchronise.h"
#include "stitch_emulator/vote.h"

namespace cooperative_groups {

namespace details {

inline unsigned int block_rank() { return stitch_thread_in_block; }
inline unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// Values wider than a shuffle move word by word.
template <class T>
inline T shuffle(unsigned int mask, T value, unsigned int source, const char* name, const char* file, int line) {
  if constexpr (sizeof(T) <= 8) {
    return stitch_emulator::shuffle(mask, value, source, name, file, line);
  } else {
    uint64_t words[(sizeof(T) + 7) / 8] = {};
    memcpy(words, &value, sizeof(T));
    for (uint64_t& word : words) {
      word = stitch_emulator::shuffle(mask, word, source, name, file, line);
    }
    memcpy(&value, words, sizeof(T));
    return value;
  }
}

}  // namespace details

class thread_block {
 public:
  static void sync(STITCH_PLACE) { stitch_barrier(STITCH_PLACE_ARGUMENTS); }
  static unsigned int thread_rank() { return details::block_rank(); }
  static unsigned int size() { return details::block_size(); }
  static unsigned int num_threads() { return details::block_size(); }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

inline thread_block this_thread_block() { return {}; }

// What tiles and coalesced groups share: lanes of one warp, numbered in order.
class warp_group {
 public:
  explicit warp_group(unsigned int mask) : mask_(mask) {}

  unsigned int size() const { return static_cast<unsigned int>(__builtin_popcount(mask_)); }
  unsigned int num_threads() const { return size(); }
  unsigned int thread_rank() const {
    return static_cast<unsigned int>(__builtin_popcount(mask_ & ((1u << stitch_lane()) - 1)));
  }
  void sync(STITCH_PLACE) const { __syncwarp(mask_, STITCH_PLACE_ARGUMENTS); }

  template <class T>
  T shfl(T value, int source, STITCH_PLACE) const {
    return details::shuffle(mask_, value, lane_of(static_cast<unsigned int>(source) % size()), "shfl",
                            STITCH_PLACE_ARGUMENTS);
  }
  template <class T>
  T shfl_up(T value, unsigned int delta, STITCH_PLACE) const {
    const unsigned int rank = thread_rank();
    return details::shuffle(mask_, value, lane_of(rank < delta ? rank : rank - delta), "shfl_up",
                            STITCH_PLACE_ARGUMENTS);
  }
  template <class T>
  T shfl_down(T value, unsigned int delta, STITCH_PLACE) const {
    const unsigned int rank = thread_rank();
    return details::shuffle(mask_, value, lane_of(rank + delta < size() ? rank + delta : rank), "shfl_down",
                            STITCH_PLACE_ARGUMENTS);
  }
  template <class T>
  T shfl_xor(T value, unsigned int rank_mask, STITCH_PLACE) const {
    const unsigned int from = thread_rank() ^ rank_mask;
    return details::shuffle(mask_, value, lane_of(from < size() ? from : thread_rank()), "shfl_xor",
                            STITCH_PLACE_ARGUMENTS);
  }

  int any(int predicate, STITCH_PLACE) const { return __any_sync(mask_, predicate, STITCH_PLACE_ARGUMENTS); }
  int all(int predicate, STITCH_PLACE) const { return __all_sync(mask_, predicate, STITCH_PLACE_ARGUMENTS); }
  unsigned int ballot(int predicate, STITCH_PLACE) const {
    return packed(__ballot_sync(mask_, predicate, STITCH_PLACE_ARGUMENTS));
  }
  template <class T>
  unsigned int match_any(T value, STITCH_PLACE) const {
    return packed(__match_any_sync(mask_, value, STITCH_PLACE_ARGUMENTS));
  }
  template <class T>
  unsigned int match_all(T value, int& all_equal, STITCH_PLACE) const {
    return packed(__match_all_sync(mask_, value, &all_equal, STITCH_PLACE_ARGUMENTS));
  }

  unsigned int lane_mask() const { return mask_; }

 protected:
  // The warp lane of the group's member number `rank`.
  unsigned int lane_of(unsigned int rank) const {
    unsigned int mask = mask_;
    for (unsigned int i = 0; i < rank; ++i) {
      mask &= mask - 1;
    }
    return static_cast<unsigned int>(__builtin_ctz(mask));
  }

 private:
  // Bits of the warp's lanes as bits of the group's ranks.
  unsigned int packed(unsigned int lanes) const {
    unsigned int result = 0;
    unsigned int rank = 0;
    for (unsigned int mask = mask_; mask != 0; mask &= mask - 1, ++rank) {
      result |= (lanes >> __builtin_ctz(mask) & 1u) << rank;
    }
    return result;
  }

  unsigned int mask_;
};

class coalesced_group : public warp_group {
 public:
  using warp_group::warp_group;
};

inline coalesced_group coalesced_threads(STITCH_PLACE) {
  return coalesced_group(stitch_warp_converge(STITCH_PLACE_ARGUMENTS));
}

template <unsigned int Size, class Parent = void>
class thread_block_tile : public warp_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "on the emulated device a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile() : warp_group(tile_mask()) {}

  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  static unsigned int thread_rank() { return details::block_rank() % Size; }
  static unsigned int meta_group_rank() { return details::block_rank() / Size; }
  static unsigned int meta_group_size() { return (details::block_size() + Size - 1) / Size; }

 private:
  static unsigned int tile_mask() {
    const unsigned int bits = Size == 32 ? 0xffffffffu : (1u << (Size % 32)) - 1;
    return bits << (stitch_lane() / Size * Size);
  }
};

template <unsigned int Size, class Group>
inline thread_block_tile<Size, Group> tiled_partition(const Group&) {
  return {};
}

// A group whose kind is known only when the program runs.
class thread_group {
 public:
  thread_group(const thread_block&) : mask_(0) {}
  thread_group(const warp_group& group) : mask_(group.lane_mask()) {}

  unsigned int size() const { return mask_ == 0 ? details::block_size() : warp_group(mask_).size(); }
  unsigned int num_threads() const { return size(); }
  unsigned int thread_rank() const { return mask_ == 0 ? details::block_rank() : warp_group(mask_).thread_rank(); }
  void sync(STITCH_PLACE) const {
    if (mask_ == 0) {
      stitch_barrier(STITCH_PLACE_ARGUMENTS);
    } else {
      __syncwarp(mask_, STITCH_PLACE_ARGUMENTS);
    }
  }

 private:
  unsigned int mask_;  // 0: the block
};

inline thread_group tiled_partition(const thread_group&, unsigned int size) {
  const unsigned int bits = size >= 32 ? 0xffffffffu : (1u << size) - 1;
  return warp_group(bits << (stitch_lane() / size * size));
}

inline coalesced_group binary_partition(const warp_group& group, bool predicate, STITCH_PLACE) {
  const unsigned int yes = __ballot_sync(group.lane_mask(), predicate, STITCH_PLACE_ARGUMENTS);
  return coalesced_group(predicate ? yes : group.lane_mask() & ~yes);
}

template <class Label>
inline coalesced_group labeled_partition(const warp_group& group, Label label, STITCH_PLACE) {
  return coalesced_group(__match_any_sync(group.lane_mask(), label, STITCH_PLACE_ARGUMENTS));
}

template <class Group>
inline void sync(const Group& group, STITCH_PLACE) {
  group.sync(STITCH_PLACE_ARGUMENTS);
}

}  // namespace cooperative_groups
