// SPDX-License-Identifier: Apache-2.0
// The program's tables, decided: tensors in the order of the C ABI, buffers, steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace stitch::codegen {

struct TensorEntry {
  std::string name;  // binding
  const char* role = "";
  TensorType type;
  int alias_of = -1;
};

struct BufferEntry {
  const char* kind = "";
  int index = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  std::string comment;
};

struct StepEntry {
  std::string name;
  bool prepares = false;
  std::vector<int> buffers;
  std::vector<int64_t> extents;
  int64_t scratch_offset = 0;
  int64_t scratch_bytes = 0;
};

struct ProgramFile {
  std::string name;
  std::vector<TensorEntry> tensors;
  std::vector<BufferEntry> buffers;
  std::vector<StepEntry> steps;
  int64_t prepared_bytes = 0;
  int64_t workspace_bytes = 0;
};

ProgramFile raise_program(const plan::Plan& plan);

}  // namespace stitch::codegen
