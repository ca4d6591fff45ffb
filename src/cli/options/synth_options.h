// SPDX-License-Identifier: Apache-2.0
// Options of the verbs that make tasks and hold them against a benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stitch::cli {

struct SynthOptions {
  int64_t count = 100;
  std::string filters;  // names with commas between them; empty: all
  std::string kinds;    // likewise; empty: all
  bool with_inductor = false;
  bool without_transformers = false;
  bool admits = false;
  bool measures = false;
  int64_t jobs = 2;                      // Python processes
  std::string against;                   // decontaminate: a benchmark's folder
  std::vector<std::string> all_against;  // harvest: programs to measure by
  std::string report;                    // decontaminate: a file; empty: beside the tasks
  bool without_graphs = false;           // decontaminate: imports nothing
  double max_likeness = 0.9;             // decontaminate: of syntax trees
};

}  // namespace stitch::cli
