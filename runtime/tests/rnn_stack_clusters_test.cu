// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other by one launch of clusters: every cell that it takes, both widths of a block,
// ragged units and samples, several clusters a layer, fewer time steps than a chunk has, weights and initial states
// that cannot be split, against a plain loop.
#include "kernels/rnn/stack_clusters.cuh"
#include "rnn_stack_support.cuh"

namespace {

using namespace stitch_test;

template <typename Tile, int kLayers>
void check(Checker& checker, const StackShape& shape, const StackWay& way) {
  using Cell = typename Tile::Cell;
  constexpr int64_t kPieces = 1 << 21;
  const StackCase<Cell, kLayers> given(shape, way, kPieces);
  const std::string name = stack_name<Cell, kLayers>(shape);
  given.fill(checker, name);
  const StackClusterPieces<Tile> pieces(shape, kLayers, given.state().cell + kLayers * given.state().states());
  checker.launched(name, launch_stack_clusters(shape, given.operands(), given.state(), pieces, given.store(), nullptr));
  given.check(checker, name, 2e-5);
  unsigned repaired = 0;
  checker.launched(name, cudaMemcpy(&repaired, pieces.counted + 1, sizeof(repaired), cudaMemcpyDeviceToHost));
  checker.is_true(name + ", repaired", (repaired != 0) == (way.weights > 1.0f || way.initial > 1.0f));
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check<StackClusterTile<RnnTanhCell, 16, 3>, 2>(checker, {23, 5, 50, 12}, {false, true});
  check<StackClusterTile<GruCell, 16, 5>, 2>(checker, {5, 5, 128, 7}, {true, false});
  check<StackClusterTile<LstmCell, 16, 8>, 2>(checker, {3, 9, 36, 140}, {false, true});
  check<StackClusterTile<RnnTanhCell, 32, 1>, 3>(checker, {10, 1, 200, 20}, {false, false});
  check<StackClusterTile<LstmCell, 32, 5>, 2>(checker, {2, 5, 131, 3}, {true, true});
  check<StackClusterTile<RnnTanhCell, 16, 3>, 2>(checker, {4, 4, 20, 9}, {false, true, 1.0f, 30.0f});
  check<StackClusterTile<LstmCell, 16, 2>, 2>(checker, {2, 2, 20, 9}, {false, true, 1e31f, 1.0f});
  check<StackClusterTile<GruCell, 16, 2>, 2>(checker, {2, 2, 20, 9}, {false, true, 1.0f, 1.0f, INFINITY});
  return checker.finish();
}
