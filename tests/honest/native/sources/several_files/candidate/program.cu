// SPDX-License-Identifier: Apache-2.0
// Has its kernel in a file of a folder and its host code in another.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include "candidate.h"
#include "kernels/gelu.cuh"

static int run_program(const Call& call) { return launch_gelu(call.input(0), call.output(0), 64 * 128, call.stream()); }
