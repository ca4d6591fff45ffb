// SPDX-License-Identifier: Apache-2.0
#include "host/arena.h"

#include <new>

namespace stitch {

namespace {

constexpr uint64_t kAlignment = 256;  // bytes

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Arena::~Arena() {
  delete[] buffer_offsets_;
  delete[] scratch_offsets_;
  delete[] pieces_;
  delete[] placed_;
}

bool Arena::allocate(const ProgramTables& tables) {
  tables_ = &tables;
  const int32_t most = tables.buffer_count + tables.step_count + 1;
  buffer_offsets_ = new (std::nothrow) uint64_t[most]();
  scratch_offsets_ = new (std::nothrow) uint64_t[most]();
  pieces_ = new (std::nothrow) Piece[most]();
  placed_ = new (std::nothrow) Piece[most]();
  return buffer_offsets_ != nullptr && scratch_offsets_ != nullptr && pieces_ != nullptr && placed_ != nullptr;
}

// All pieces of the run phase, largest first; of equal ones, scratch memory first.
int32_t Arena::collect(int64_t batch) {
  int32_t count = 0;
  const auto add = [&](const Piece& piece) {
    int32_t at = count++;
    for (; at > 0 && pieces_[at - 1].bytes < piece.bytes; --at) {
      pieces_[at] = pieces_[at - 1];
    }
    pieces_[at] = piece;
  };
  for (int32_t step = 0; step < tables_->step_count; ++step) {
    const uint64_t bytes = tables_->steps[step].scratch.at(batch);
    if (tables_->steps[step].phase == StepPhase::kRun && bytes > 0) {
      const int32_t last_beside = tables_->steps[step].last_beside;
      add({bytes, step, last_beside > step ? last_beside : step, &scratch_offsets_[step]});
    }
  }
  for (int32_t index = 0; index < tables_->buffer_count; ++index) {
    const BufferTable& buffer = tables_->buffers[index];
    if (buffer.kind == BufferKind::kArena && buffer.whole < 0) {
      add({buffer.bytes.at(batch), buffer.first_step, buffer.last_step, &buffer_offsets_[index]});
    }
  }
  return count;
}

// The lowest place that is free for as long as the piece is needed.
uint64_t Arena::place(const Piece& piece, int32_t placed_count) const {
  uint64_t offset = 0;
  for (int32_t index = 0; index < placed_count; ++index) {
    const Piece& rival = placed_[index];
    if (rival.first_step > piece.last_step || piece.first_step > rival.last_step) {
      continue;
    }
    if (offset + aligned(piece.bytes) <= *rival.offset) {
      break;
    }
    const uint64_t end = *rival.offset + aligned(rival.bytes);
    offset = end > offset ? end : offset;
  }
  return offset;
}

void Arena::lay_out(int64_t batch) {
  const int32_t count = collect(batch);
  bytes_ = 0;
  for (int32_t index = 0; index < count; ++index) {
    const Piece& piece = pieces_[index];
    *piece.offset = place(piece, index);
    int32_t at = index;
    for (; at > 0 && *placed_[at - 1].offset > *piece.offset; --at) {
      placed_[at] = placed_[at - 1];
    }
    placed_[at] = piece;
    const uint64_t end = *piece.offset + aligned(piece.bytes);
    bytes_ = end > bytes_ ? end : bytes_;
  }
  batch_ = batch;
}

}  // namespace stitch
