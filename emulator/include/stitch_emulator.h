// SPDX-License-Identifier: Apache-2.0
// Included before every emulated unit (g++ -include stitch_emulator.h), as nvcc includes cuda_runtime.h: the CUDA
// runtime API from the real toolkit headers, and the device side of the language from ours.
#pragma once

// Code that must differ on the emulated device tests this macro; inline PTX is always inside its #else.
#define STITCH_EMULATED 1
// What the rewriter puts where a program says __CUDA_ARCH__.
#define STITCH_EMULATED_ARCH 900

// nvcc does not reason from types about what pointers may meet, and CUDA programs read float arrays as float4 or int.
#pragma GCC optimize("no-strict-aliasing")

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stitch_emulator/atomics.h"
#include "stitch_emulator/collective.h"
#include "stitch_emulator/count.h"
#include "stitch_emulator/float_math.h"
#include "stitch_emulator/integer_math.h"
#include "stitch_emulator/language.h"
#include "stitch_emulator/launch.h"
#include "stitch_emulator/memory.h"
#include "stitch_emulator/shared.h"
#include "stitch_emulator/shuffle.h"
#include "stitch_emulator/symbol.h"
#include "stitch_emulator/synchronise.h"
#include "stitch_emulator/vote.h"

// Nothing tells a program that its accesses are counted.
#undef __SANITIZE_THREAD__
