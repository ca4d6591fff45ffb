// SPDX-License-Identifier: Apache-2.0
// Recurrent layers by cuDNN, here the emulator's: every cell, with biases and without, inputs that lie batch first,
// last states of every layer, and what is answered where there is no library or too little memory.
#include "kernels/rnn/library.cuh"
#include "rnn_stack_support.cuh"

namespace {

using namespace stitch_test;

constexpr int64_t kLibraryFloats = 1 << 16;

struct Way {
  bool may_use_tf32;
  bool is_persistent;
};

template <int kLayers, typename Case>
cudaError_t call_library(const Case& given, LibraryCell cell, const Way& way, StepLibraries* libraries,
                         int64_t scratch_floats) {
  StepArgs args{};
  args.scratch = given.scratch().data();
  args.scratch_bytes = static_cast<uint64_t>(scratch_floats) * sizeof(float);
  args.libraries = libraries;
  return launch_stack_library<kLayers>({&args, way.may_use_tf32, way.is_persistent, cell}, given.shape(),
                                       given.operands(), given.state(), given.store(), nullptr);
}

template <typename Cell, int kLayers>
void check(Checker& checker, StepLibraries* libraries, LibraryCell cell, const StackShape& shape, const StackWay& way) {
  for (const Way& how : {Way{false, false}, Way{true, false}, Way{false, true}}) {
    const StackCase<Cell, kLayers> given(shape, way, kLibraryFloats);
    const std::string name = stack_name<Cell, kLayers>(shape) + (how.may_use_tf32    ? ", TF32"
                                                                 : how.is_persistent ? ", persistent"
                                                                                     : "");
    given.fill(checker, name);
    checker.launched(name, call_library<kLayers>(given, cell, how, libraries, kLibraryFloats));
    given.check(checker, name, how.may_use_tf32 ? 2e-2 : 2e-5);
  }
}

template <typename Cell>
void check_cell(Checker& checker, StepLibraries* libraries, LibraryCell cell) {
  check<Cell, 2>(checker, libraries, cell, {5, 3, 12, 7}, {false, true});
  check<Cell, 3>(checker, libraries, cell, {11, 2, 9, 4}, {true, false});
  check<Cell, 1>(checker, libraries, cell, {1, 1, 5, 3}, {true, true});
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  StepLibraries libraries{};
  for (int call = 0; call < 2; ++call) {  // the second finds what the first has kept, at other addresses
    check_cell<LstmCell>(checker, &libraries, LibraryCell::kLstm);
  }
  check_cell<GruCell>(checker, &libraries, LibraryCell::kGru);
  check_cell<RnnTanhCell>(checker, &libraries, LibraryCell::kTanh);
  check_cell<RnnReluCell>(checker, &libraries, LibraryCell::kRelu);
  const StackCase<GruCell, 2> given({2, 1, 8, 4}, {false, true}, kLibraryFloats);
  given.fill(checker, "refusals");
  const auto answer = [&](StepLibraries* kept, int64_t floats) {
    return call_library<2>(given, LibraryCell::kGru, {false, false}, kept, floats);
  };
  checker.is_true("no place to keep a handle", answer(nullptr, kLibraryFloats) == cudaErrorNotSupported);
  checker.is_true("too little memory", answer(&libraries, 600) == cudaErrorNotSupported);
  checker.is_true("taken once there is enough", answer(&libraries, kLibraryFloats) == cudaSuccess);
  given.check(checker, "after refusals", 2e-5);
  libraries.cudnn_rnn.destroy(libraries.cudnn_rnn.state);
  return checker.finish();
}
