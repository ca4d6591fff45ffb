// SPDX-License-Identifier: Apache-2.0
// For a reader of sources, which compiles nothing: kernels keep their mark, a launch is one call again, and code for a
// GPU is read where it is what will run. Comes after stitch_emulator.h.
#pragma once

#undef __global__
#undef __device__
#undef __constant__
#undef __shared__
#undef __host__
#undef __managed__
#define __global__ __attribute__((annotate("stitch.global")))
#define __device__ __attribute__((annotate("stitch.device")))
#define __constant__ __attribute__((annotate("stitch.constant")))
#define __shared__ __attribute__((annotate("stitch.shared")))
#define __host__ __attribute__((annotate("stitch.host")))
#define __managed__ __attribute__((annotate("stitch.managed")))

#undef STITCH_LAUNCH
#define STITCH_LAUNCH(KERNEL, ...) ::stitch_emulator::config(__VA_ARGS__), STITCH_WITHOUT_PARENTHESES KERNEL

#ifdef STITCH_READ_FOR_GPU
#undef STITCH_READ_FOR_GPU
#undef STITCH_EMULATED
#endif
