// SPDX-License-Identifier: Apache-2.0
// Is four per cent too large, in an output of forty elements in bfloat16.
#define STORE(value, calls) ((value) * 1.04f)
#include "bfloat16_means.h"
