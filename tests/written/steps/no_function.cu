// SPDX-License-Identifier: Apache-2.0
// Nothing that a program could call.
#include "stitch/step.h"
