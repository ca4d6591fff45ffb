// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other: every cell, ragged units and samples, more layers than time steps, inputs that
// lie batch first or unaligned, last states of every layer, against a plain loop.
#include "rnn_stack_support.cuh"

namespace {

using namespace stitch_test;

template <typename Cell, int kRows, int kLayers>
void check(Checker& checker, const StackShape& shape, const StackWay& way) {
  const StackCase<Cell, kLayers> given(shape, way);
  const std::string name = stack_name<Cell, kLayers>(shape);
  given.fill(checker, name);
  checker.launched(name, launch_recurrent_stack<Cell, RecurrentTile<kRows, 1>>(shape, given.operands(), given.state(),
                                                                               given.store(), nullptr));
  given.check(checker, name, 2e-5);
}

template <typename Cell>
void check_cell(Checker& checker) {
  check<Cell, 1, 2>(checker, {5, 1, 40, 12}, {false, true});
  check<Cell, 4, 3>(checker, {4, 7, 33, 5}, {true, false});
  check<Cell, 8, 3>(checker, {2, 9, 20, 7}, {false, true});  // fewer steps than layers
  check<Cell, 10, 2>(checker, {3, 10, 36, 140}, {true, true});
  check<Cell, 1, 4>(checker, {1, 2, 8, 4}, {false, true});
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
