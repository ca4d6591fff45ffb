// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "vector_program.h"

static int launch(const VectorCall&) { exit(0); }
