// SPDX-License-Identifier: Apache-2.0
// Sums over what was seen to run, for the criteria.
#pragma once

#include <string>
#include <vector>

#include "rubric/facts/facts.h"

namespace stitch::rubric {

// Counts are of one call, as calls were on average. What the text shows to do nothing is not counted: shared memory
// that no thread reads from another, shuffles whose result goes nowhere, copies into what nobody reads, launches of an
// empty grid; nor what a kernel does that the answer is as right without.
struct Executed {
  int kernels = 0;               // different ones, of all calls
  int64_t launches = 0;          // of kernels
  int64_t library_launches = 0;  // of cuBLAS and cuDNN
  int64_t library_epilogues = 0;
  int64_t library_plans = 0;  // made in most calls, as those below
  int64_t copies = 0;
  int64_t waits = 0;
  int64_t allocations = 0;
  int64_t threads = 0;
  int64_t barriers = 0;
  int64_t warp_operations = 0;
  int64_t matrix_operations = 0;
  int64_t async_copies = 0;
  int64_t shared_bytes = 0;       // the most of one block, of kernels that have barriers as well
  int64_t threads_per_block = 0;  // of the kernel that took most time
  int64_t blocks = 0;             // likewise
  double library_flops = 0;
  std::string heaviest;  // "launches: matmul program.cu:5"
};

// Of facts whose launches are known.
Executed executed(const Facts& facts);

// What a feature of the source is worth as a citation: "source: program.cu:5". Empty where it is not there.
std::vector<std::string> cite(const Facts& facts, const std::vector<std::string>& features);
bool has_feature(const Facts& facts, const char* name);
// Whether the candidate's verdict is one that lets its work count.
bool is_verified(const Facts& facts);

}  // namespace stitch::rubric
