// SPDX-License-Identifier: Apache-2.0
// What a generated program is, as tables: program.cu fills them in, host/program.cc runs them behind the C ABI.
#pragma once

#include <stdint.h>

#include "stitch/step.h"
#include "stitch_program.h"

namespace stitch {

// Where a step's operand lives when it runs.
enum class BufferKind : int32_t {
  kInput,      // index: place among the inputs
  kParameter,  // index: place among parameters then constants, as in StitchParameters
  kStateIn,    // index: place among the states
  kStateOut,
  kOutput,
  kArena,     // offset: bytes into the workspace
  kPrepared,  // offset: bytes into the prepared memory
};

struct BufferTable {
  BufferKind kind;
  int32_t index;
  uint64_t offset;
  uint64_t bytes;
};

enum class StepPhase : int32_t { kPrepare, kRun };

struct StepTable {
  const char* name;
  StepFunction function;
  StepPhase phase;
  const int32_t* buffers;  // indices into ProgramTables::buffers: operands, then results
  int32_t buffer_count;
  const int64_t* extents;   // what the step's comment lists
  uint64_t scratch_offset;  // bytes into the workspace (run) or the prepared memory (prepare)
  uint64_t scratch_bytes;
};

struct ProgramTables {
  StitchDescription description;  // with tensors in the order of stitch_program.h
  const BufferTable* buffers;
  int32_t buffer_count;
  const StepTable* steps;  // in order of execution
  int32_t step_count;
  uint64_t workspace_bytes;  // arena and scratch of the run phase
};

}  // namespace stitch

// Defined by program.cu. host/program.cc, the same file in every bundle, implements stitch_program_v1() over it.
// Hidden, so that programs loaded side by side keep to their own.
extern "C" __attribute__((visibility("hidden"))) const stitch::ProgramTables stitch_program_tables;
