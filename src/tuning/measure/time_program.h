// SPDX-License-Identifier: Apache-2.0
// The time of a whole program on the GPU of this machine: plain launches, replays of a CUDA graph, and prepare() apart.
#pragma once

#include "artifact/tensor/host_tensor.h"
#include "evaluate/runner/program_runner.h"
#include "ir/graph/graph.h"

namespace stitch::tuning {

struct ProgramTimes {
  evaluate::Timing plain;
  evaluate::Timing graph;  // no samples when run() could not be captured
  double prepare_us = 0;   // of a prepare() that is not the first

  bool graph_is_faster() const { return !graph.samples_us.empty() && graph.median_us < plain.median_us; }
  double best_us() const { return graph_is_faster() ? graph.median_us : plain.median_us; }
};

// `graph` says what the program takes; its tensors hold sample values. kInternal with the program's sentence when it
// does not run.
Result<ProgramTimes> time_program(const ir::Graph& graph, const evaluate::RunnerOptions& options);

}  // namespace stitch::tuning
