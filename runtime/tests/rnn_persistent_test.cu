// SPDX-License-Identifier: Apache-2.0
// Recurrent layers by one launch of clusters: every cell and tile, one and two directions, ragged units and samples,
// blocks and warps without units, against a plain loop.
#include "kernels/rnn/persistent_layer.cuh"
#include "rnn_layer_support.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

template <typename Cell, typename Tile>
void check(Checker& checker, int64_t steps, int64_t batch, int64_t directions, int64_t units, bool batch_first) {
  const std::string tile = "cluster of " + std::to_string(Tile::kRows) + "x" + std::to_string(Tile::kUnits);
  check_layer<Cell>(checker, tile, {steps, batch, directions, units}, batch_first, [&](const auto&... arguments) {
    return launch_persistent_layer<Cell, Tile>(arguments..., nullptr, nullptr);
  });
}

template <typename Cell>
void check_cell(Checker& checker) {
  check<Cell, PersistentTile<1, 2, 1>>(checker, 5, 1, 1, 40, false);
  check<Cell, PersistentTile<1, 2, 1>>(checker, 4, 2, 2, 7, true);
  check<Cell, PersistentTile<1, 2, 1>>(checker, 1, 2, 1, 128, true);
  check<Cell, PersistentTile<2, 2, 1>>(checker, 6, 3, 2, 37, true);
  check<Cell, PersistentTile<4, 2, 1>>(checker, 3, 5, 2, 100, false);
  check<Cell, PersistentTile<1, 2, 2>>(checker, 3, 1, 1, 132, false);
  check<Cell, PersistentTile<2, 2, 2>>(checker, 3, 3, 1, 256, true);
  check<Cell, PersistentTile<4, 4, 4>>(checker, 3, 2, 1, 261, true);
}

void check_limits(Checker& checker) {
  using Tile = PersistentTile<1, 2, 1>;
  const auto launch = [](const RecurrentShape& shape) {
    return launch_persistent_layer<GruCell, Tile>(shape, RecurrentOperands<float>{}, NoInitialCell{}, NoInitialCell{},
                                                  Store{nullptr, nullptr, nullptr, shape}, nullptr, nullptr);
  };
  checker.launched("no steps", launch({0, 2, 1, 16}));
  checker.launched("no samples", launch({3, 0, 1, 16}));
  checker.is_true("units beyond the tile", launch({3, 2, 1, 129}) == cudaErrorInvalidValue);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_cell<LstmCell>(checker);
  check_cell<GruCell>(checker);
  check_cell<RnnTanhCell>(checker);
  check_cell<RnnReluCell>(checker);
  check_limits(checker);
  return checker.finish();
}
