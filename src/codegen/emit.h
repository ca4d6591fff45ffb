// SPDX-License-Identifier: Apache-2.0
// A plan as a standalone project of sources: one file per step, the program's tables, the runtime files they need.
#pragma once

#include <string>
#include <vector>

#include "artifact/source/source_bundle.h"
#include "plan/plan.h"

namespace stitch::codegen {

struct EmitOptions {
  std::string runtime_folder;                   // the repository's or distribution's runtime/
  std::vector<std::string> architectures = {};  // "sm_90a" that the project builds for; empty: a choice of ours
  size_t first_number = 0;                      // of steps, in the names of files and functions
};

// Fails when the runtime folder lacks a file that the program includes.
Result<SourceBundle> emit(const plan::Plan& plan, const EmitOptions& options);

// "steps/03_fc1_gelu.cu". `first_number`: as it was emitted.
std::string step_file_name(const plan::Plan& plan, size_t index, size_t first_number = 0);

}  // namespace stitch::codegen
