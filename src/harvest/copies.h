// SPDX-License-Identifier: Apache-2.0
// Tasks that are copies of programs by which others measure, or which we keep for measuring: no lessons come of them.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "bench/run/run_spec.h"
#include "driver/job/job.h"
#include "synth/contamination/decontaminate.h"

namespace stitch::harvest {

struct CopiesRequest {
  std::vector<std::filesystem::path> against{};  // folders or programs
  double max_likeness = synth::kMaxLikeness;
  bool with_graphs = true;  // imports each program once: about a second each
  int jobs = 2;
  driver::Options options{};
};

struct Copies {
  size_t against = 0;                                          // programs that were looked at
  std::map<std::filesystem::path, synth::Accusation> found{};  // by the task's file
};

// By syntax, signature and graph, as `stitchcuda decontaminate` finds them. kFileInvalid where a place of `against`
// holds no program.
Result<Copies> copies_among(const std::vector<bench::SuiteTask>& tasks, const CopiesRequest& request,
                            const driver::Services& services);

}  // namespace stitch::harvest
