// SPDX-License-Identifier: Apache-2.0
#include "plan/memory/arena.h"

#include <algorithm>
#include <numeric>

namespace stitch::plan {
namespace {

int64_t aligned(int64_t bytes) { return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment; }

// Finds the pieces that are needed at the same time as another one: a tree over pieces by their first step, each node
// of which knows the latest last step below it.
class Lives {
 public:
  explicit Lives(const std::vector<Piece>& pieces) : pieces_(pieces), by_first_(pieces.size()), places_(pieces.size()) {
    std::iota(by_first_.begin(), by_first_.end(), size_t{0});
    std::stable_sort(by_first_.begin(), by_first_.end(),
                     [&](size_t a, size_t b) { return pieces[a].first_step < pieces[b].first_step; });
    for (size_t place = 0; place < by_first_.size(); ++place) {
      places_[by_first_[place]] = place;
    }
    while (leaves_ < pieces.size()) {
      leaves_ *= 2;
    }
    latest_.assign(2 * leaves_, -1);
  }

  void add(size_t piece) {
    for (size_t node = leaves_ + places_[piece]; node > 0; node /= 2) {
      latest_[node] = std::max(latest_[node], pieces_[piece].last_step);
    }
  }

  // The pieces that were added and overlap `piece` in time.
  std::vector<const Piece*> beside(const Piece& piece) const {
    std::vector<const Piece*> found;
    std::vector<size_t> todo = {1};
    while (!todo.empty()) {
      const size_t node = todo.back();
      todo.pop_back();
      if (latest_[node] < piece.first_step) {
        continue;
      }
      if (node < leaves_) {
        todo.push_back(2 * node + 1);
        todo.push_back(2 * node);
        continue;
      }
      const Piece& other = pieces_[by_first_[node - leaves_]];
      if (other.first_step > piece.last_step) {
        break;  // and so do all behind it
      }
      found.push_back(&other);
    }
    return found;
  }

 private:
  const std::vector<Piece>& pieces_;
  std::vector<size_t> by_first_;
  std::vector<size_t> places_;  // of each piece in by_first_
  size_t leaves_ = 1;
  std::vector<int> latest_;  // last step, -1 where nothing was added
};

std::vector<size_t> largest_first(const std::vector<Piece>& pieces) {
  std::vector<size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return pieces[a].bytes > pieces[b].bytes; });
  return order;
}

}  // namespace

int64_t stack_pieces(std::vector<Piece>& pieces) {
  int64_t total = 0;
  for (const size_t number : largest_first(pieces)) {
    pieces[number].offset = total;
    total += aligned(pieces[number].bytes);
  }
  return total;
}

// Largest first, each at the lowest place that is free for as long as it is needed.
int64_t place_pieces(std::vector<Piece>& pieces) {
  const std::vector<size_t> order = largest_first(pieces);
  Lives placed(pieces);
  int64_t total = 0;
  for (const size_t number : order) {
    Piece& piece = pieces[number];
    std::vector<const Piece*> rivals = placed.beside(piece);
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
    placed.add(number);
  }
  return total;
}

}  // namespace stitch::plan
