// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: every cell and tile, one and two directions, ragged units and samples, against a plain loop.
#include "rnn_layer_support.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

template <typename Cell, typename Tile>
void check(Checker& checker, int64_t steps, int64_t batch, int64_t directions, int64_t units, bool batch_first) {
  const RecurrentShape shape{steps, batch, directions, units};
  const DeviceFloats scratch(recurrent_scratch_floats(shape));
  check_layer<Cell>(checker, "tile of " + std::to_string(Tile::kBlockRows), shape, batch_first,
                    [&](const auto&... arguments) {
                      return launch_recurrent_layer<Cell, Tile>(arguments..., scratch.data(), nullptr);
                    });
}

template <typename Cell>
void check_cell(Checker& checker) {
  check<Cell, RecurrentTile<1, 1>>(checker, 5, 1, 1, 40, false);
  check<Cell, RecurrentTile<1, 1>>(checker, 3, 2, 2, 7, true);
  check<Cell, RecurrentTile<4, 1>>(checker, 4, 3, 2, 132, false);
  check<Cell, RecurrentTile<5, 1>>(checker, 2, 7, 2, 12, true);
  check<Cell, RecurrentTile<8, 1>>(checker, 3, 9, 1, 37, true);
  check<Cell, RecurrentTile<4, 4>>(checker, 3, 19, 2, 20, false);
  check<Cell, RecurrentTile<8, 4>>(checker, 2, 35, 1, 70, true);
  check<Cell, RecurrentTile<8, 4>>(checker, 1, 64, 2, 64, false);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_cell<LstmCell>(checker);
  check_cell<GruCell>(checker);
  check_cell<RnnTanhCell>(checker);
  check_cell<RnnReluCell>(checker);
  return checker.finish();
}
