// SPDX-License-Identifier: Apache-2.0
// The program's tables, decided: tensors in the order of the C ABI, buffers, steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/batch/run_time_batch.h"
#include "plan/plan.h"
#include "plan/streams/step_streams.h"

namespace stitch::codegen {

struct TensorEntry {
  std::string name;  // binding
  TensorRole role = TensorRole::kInput;
  TensorType type;
  int alias_of = -1;
  bool is_optional = false;                // random numbers that a caller may hand in
  std::vector<plan::BatchLine> axes = {};  // with a run-time batch, of tensors that have it: how each extent follows
};

struct BufferEntry {
  const char* kind = "";
  int index = 0;
  int64_t offset = 0;
  plan::BatchLine bytes;
  int first_step = 0;     // of the arena's: written here...
  int last_step = 0;      // ...and last read here
  int whole = -1;         // the buffer in whose memory it lies, where it has none of its own
  plan::BatchLine start;  // bytes into that
  std::string name;
};

struct ExtentEntry {
  std::string name;  // in the step's struct Extents
  plan::BatchLine size;
};

struct StepEntry {
  std::string name;
  std::vector<std::string> counts;  // sentences
  bool prepares = false;
  std::vector<int> buffers;  // operands, then results
  size_t operand_count = 0;
  std::vector<ExtentEntry> extents;
  int64_t scratch_offset = 0;
  plan::BatchLine scratch;
  int64_t kept_offset = 0;
  int64_t kept_bytes = 0;
  plan::StepStream stream = {};
};

struct ProgramFile {
  std::string name;
  std::vector<TensorEntry> tensors;
  std::vector<BufferEntry> buffers;
  std::vector<StepEntry> steps;
  size_t first_number = 0;  // in the names of their functions
  int64_t prepared_bytes = 0;
  int64_t workspace_bytes = 0;  // at the sizes that were planned for
  int side_streams = 0;
  std::vector<int> joined;  // steps that the end of a call waits for
  bool replays = true;
  // The batch, where it is an argument: what is declared and what is taken. `batch_note` says why it is none.
  bool has_batch = false;
  int64_t declared_batch = 0;
  int64_t planned_batch = 0;  // of workspace_bytes
  int64_t min_batch = 0;
  int64_t max_batch = 0;
  std::string batch_note;
};

// `extent_names`: of every step.
ProgramFile raise_program(const plan::Plan& plan, const std::vector<std::vector<std::string>>& extent_names);

}  // namespace stitch::codegen
