// SPDX-License-Identifier: Apache-2.0
// Wants 2^64-1 of prepared memory.
#define stitch_program_v1 usual_program
#include "linear_relu.h"
#undef stitch_program_v1

static const StitchDescription* mine() {
  static StitchDescription d = *usual_program()->describe();
  d.prepared_bytes = ~uint64_t{0};
  return &d;
}
static int run_program(const Call& call) { return honest(call); }
extern "C" const StitchProgramV1* stitch_program_v1(void) {
  static StitchProgramV1 program = *usual_program();
  program.describe = mine;
  return &program;
}
