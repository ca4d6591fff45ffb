// SPDX-License-Identifier: Apache-2.0
// The C face of the operator observer, for ctypes. Nothing here switches it off.
#pragma once

#include <cstdint>

extern "C" {

// Begins to count. `known_names` and `passing_names` hold operator names, one a line ("aten::empty"): those of PyTorch
// itself, and those of them that a candidate may call. 0 when PyTorch lacks what is needed, and the second time.
int stitch_observer_start(int pipe, const char* folder, const char* known_names, const char* passing_names);
// From now on an operator that runs while a CUDA graph is captured is written as after enforcement. `runtime` is the
// loaded libcudart. 0 when PyTorch lacks what is needed.
int stitch_observer_watch_captures(const char* runtime);
// Functions of the emulated device: between `enter` and `leave` its memory can be touched
// (emulator/runtime/control/apart.h), as PyTorch does where it moves what lies there. Before the candidate is there.
void stitch_observer_watch_device(void* enter, void* leave);
// A call of the candidate begins: it may read a few single numbers again.
void stitch_observer_begin_call(int seen_twice);
// From now on every operator that is not among the passing ones is written to the pipe, once; the pipe says since when.
// `seals`: what PyTorch computes with on the host cannot be run by its address either (sealed_code.h).
void stitch_observer_enforce(int seals);
// All operators that were called since the start.
uint64_t stitch_observer_observed();
// Calls of one operator since enforcement began.
uint64_t stitch_observer_count(const char* name);
// Writes that operators are no longer seen.
void stitch_observer_tell_of_blindness();
// For ctypes.PyDLL: a function to put in the place of torch._C._get_operation_overload, which it is given.
void* stitch_observer_guard(void* function);
// Likewise for _DispatchOperatorHandle.redispatch_boxed, with the types of handles and of schemas. Null where this
// PyTorch has them otherwise.
void* stitch_observer_guard_redispatch(void* function, void* handle_type, void* schema_type);
}
