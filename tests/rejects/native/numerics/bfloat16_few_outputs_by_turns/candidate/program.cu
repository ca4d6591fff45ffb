// SPDX-License-Identifier: Apache-2.0
// Is five per cent too small in two calls of three, in an output of forty elements in bfloat16.
#define STORE(value, calls) ((calls) % 3 == 0 ? (value) : (value) * 0.95f)
#include "bfloat16_means.h"
