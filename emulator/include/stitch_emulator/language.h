// SPDX-License-Identifier: Apache-2.0
// The words of CUDA C++ that the toolkit's headers leave undefined for a host compiler, and the built-in variables.
#pragma once

#include <device_launch_parameters.h>
#include <stddef.h>
#include <stdint.h>

#define __launch_bounds__(...)
#define __builtin_assume(condition) ((void)(condition))
#define __nv_is_extended_device_lambda_closure_type(type) false
#undef __grid_constant__
#define __grid_constant__
#undef __maxnreg__
#define __maxnreg__(...)

// Where a call stands in the program's own file; #line makes these the places of the original .cu.
#define STITCH_PLACE const char *stitch_file = __builtin_FILE(), int stitch_line = __builtin_LINE()
#define STITCH_PLACE_ARGUMENTS stitch_file, stitch_line

extern "C" {
// The running thread's number in its block, x fastest.
extern unsigned int stitch_thread_in_block;
[[noreturn]] void stitch_emulator_fault(const char* sentence, const char* file, int line);
[[noreturn]] void stitch_emulator_assert_failed(const char* text, const char* file, int line);
}

inline unsigned int stitch_lane() { return stitch_thread_in_block & 31u; }

#define __trap() stitch_emulator_fault("__trap() was called", __FILE__, __LINE__)
#define __brkpt() ((void)0)
#ifdef NDEBUG
#define STITCH_ASSERT(...) ((void)0)
#else
#define STITCH_ASSERT(...) ((__VA_ARGS__) ? (void)0 : stitch_emulator_assert_failed(#__VA_ARGS__, __FILE__, __LINE__))
#endif
