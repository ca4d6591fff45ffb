// SPDX-License-Identifier: Apache-2.0
// Takes means of columns in bfloat16, summing in float.
#define STORE(value, calls) (value)
#include "bfloat16_means.h"
