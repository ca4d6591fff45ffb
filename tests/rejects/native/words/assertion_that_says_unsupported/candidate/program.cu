// SPDX-License-Identifier: Apache-2.0
// A static assertion fails with a refusal's words, in a template that only the emulator instantiates.
#include "linear_relu.h"

template <int kValue>
struct Lacking {
  static_assert(kValue < 0, "stitchcuda-rewrite: inline PTX is not supported on the emulated device");
};

static int run_program(const Call& call) {
  (void)sizeof(Lacking<3>);
  return honest(call);
}
