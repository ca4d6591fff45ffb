// SPDX-License-Identifier: Apache-2.0
// What all candidates here are written with.
#pragma once

#include "stitch_candidate.h"
