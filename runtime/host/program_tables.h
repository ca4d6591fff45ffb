// SPDX-License-Identifier: Apache-2.0
// What a generated program is, as tables: program.cu fills them in, host/program.cc runs them behind the C ABI.
#pragma once

#include <stdint.h>

#include "stitch/step.h"
#include "stitch_program.h"

namespace stitch {

// A size that follows the batch of a call; fixed ones do not grow.
struct Size {
  int64_t base = 0;
  int64_t per_batch = 0;
  constexpr uint64_t at(int64_t batch) const { return static_cast<uint64_t>(base + per_batch * batch); }
};

// Where a step's operand lives when it runs.
enum class BufferKind : int32_t {
  kInput,      // index: place among the inputs
  kParameter,  // index: place among parameters then constants, as in StitchParameters
  kStateIn,    // index: place among the states
  kStateOut,
  kOutput,
  kArena,     // in the workspace, where host/arena.h puts it
  kPrepared,  // offset: bytes into the prepared memory
};

struct BufferTable {
  const char* name;  // for readers
  BufferKind kind;
  int32_t index = 0;
  uint64_t offset = 0;
  Size bytes;
  int32_t first_step = 0;  // kArena: the step that writes it...
  int32_t last_step = 0;   // ...and the last one that reads it, or may run while it is read
  int32_t whole = -1;      // the buffer in whose memory it lies as a part; -1: it has its own
  Size start;              // bytes into that
};

enum class StepPhase : int32_t { kPrepare, kRun };

struct StepTable {
  const char* name;
  StepFunction function;
  StepPhase phase;
  const int32_t* buffers;  // indices into ProgramTables::buffers: operands, then results
  int32_t buffer_count;
  const Size* extents;  // what the step's struct Extents lists
  int32_t extent_count;
  uint64_t scratch_offset = 0;     // prepare: bytes into the prepared memory
  Size scratch;                    // bytes
  uint64_t kept_offset = 0;        // into the prepared memory
  uint64_t kept_bytes = 0;         // 0: it keeps nothing
  int32_t last_beside = 0;         // the last step that may run at the same time, where one behind it may
  int32_t stream = 0;              // of run(): 0 is that of the call, others are side streams
  const int32_t* waits = nullptr;  // steps of other streams that it waits for
  int32_t wait_count = 0;
  bool is_waited_for = false;
};

// An axis whose extent follows the batch.
struct AxisTable {
  int32_t role;   // STITCH_INPUT or STITCH_OUTPUT
  int32_t index;  // place in that role
  int32_t axis;
  Size extent;
};

struct ProgramTables {
  StitchDescription description;  // with tensors in the order of stitch_program.h
  const BufferTable* buffers;
  int32_t buffer_count;
  const StepTable* steps;  // in order of execution
  int32_t step_count;
  const AxisTable* batch_axes = nullptr;  // the first one is an input's: it tells the batch of a call
  int32_t batch_axis_count = 0;           // 0: the program has no run-time batch
  int32_t side_stream_count = 0;          // beside the stream of the call
  const int32_t* joined_steps = nullptr;  // that the stream of the call waits for at the end
  int32_t joined_count = 0;
};

}  // namespace stitch

// Defined by program.cu. host/program.cc, the same file in every bundle, implements stitch_program_v1() over it.
// Hidden, so that programs loaded side by side keep to their own.
extern "C" __attribute__((visibility("hidden"))) const stitch::ProgramTables stitch_program_tables;
