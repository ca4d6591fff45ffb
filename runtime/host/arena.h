// SPDX-License-Identifier: Apache-2.0
// Where the buffers that live between steps, and the steps' scratch memory, lie in the workspace of a call: pieces that
// are needed at the same time never overlap. Sizes follow the batch, so this is worked out again when that changes;
// it takes microseconds and no memory beyond what allocate() took.
#pragma once

#include "host/program_tables.h"

namespace stitch {

class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Memory for the offsets of `tables`, which outlive this. False when there is none.
  bool allocate(const ProgramTables& tables);
  void lay_out(int64_t batch);

  int64_t batch() const { return batch_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t buffer_offset(int32_t buffer) const { return buffer_offsets_[buffer]; }
  uint64_t scratch_offset(int32_t step) const { return scratch_offsets_[step]; }

 private:
  struct Piece {
    uint64_t bytes;
    int32_t first_step;
    int32_t last_step;
    uint64_t* offset;
  };

  int32_t collect(int64_t batch);
  uint64_t place(const Piece& piece, int32_t placed_count) const;

  const ProgramTables* tables_ = nullptr;
  uint64_t* buffer_offsets_ = nullptr;   // by buffer; those outside the arena are not used
  uint64_t* scratch_offsets_ = nullptr;  // by step
  Piece* pieces_ = nullptr;              // largest first
  Piece* placed_ = nullptr;              // lowest first
  uint64_t bytes_ = 0;
  int64_t batch_ = -1;
};

}  // namespace stitch
