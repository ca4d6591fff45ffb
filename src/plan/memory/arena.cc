// SPDX-License-Identifier: Apache-2.0
#include "plan/memory/arena.h"

#include <algorithm>
#include <numeric>

namespace stitch::plan {
namespace {

int64_t aligned(int64_t bytes) { return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment; }

bool at_the_same_time(const Piece& a, const Piece& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

}  // namespace

// Largest first, each at the lowest place that is free for as long as it is needed.
int64_t place_pieces(std::vector<Piece>& pieces) {
  std::vector<size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return pieces[a].bytes > pieces[b].bytes; });
  std::vector<const Piece*> placed;
  int64_t total = 0;
  for (const size_t number : order) {
    Piece& piece = pieces[number];
    std::vector<const Piece*> rivals;
    std::copy_if(placed.begin(), placed.end(), std::back_inserter(rivals),
                 [&](const Piece* other) { return at_the_same_time(piece, *other); });
    std::sort(rivals.begin(), rivals.end(), [](const Piece* a, const Piece* b) { return a->offset < b->offset; });
    int64_t offset = 0;
    for (const Piece* rival : rivals) {
      if (offset + aligned(piece.bytes) <= rival->offset) {
        break;
      }
      offset = std::max(offset, rival->offset + aligned(rival->bytes));
    }
    piece.offset = offset;
    total = std::max(total, offset + aligned(piece.bytes));
    placed.push_back(&piece);
  }
  return total;
}

}  // namespace stitch::plan
