// SPDX-License-Identifier: Apache-2.0
// The time of a whole program on the GPU of this machine: plain launches, replays of a CUDA graph, and prepare() apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/tensor/host_tensor.h"
#include "evaluate/runner/program_runner.h"
#include "evaluate/timing/abba.h"
#include "ir/graph/graph.h"

namespace stitch::tuning {

// The user's own program in PyTorch, timed in turns with ours.
struct BaselineTimes {
  std::string name;             // "eager", "compile", "graph"
  std::vector<double> ours_us;  // one for each block, in the order in which they ran
  std::vector<double> theirs_us;
  evaluate::Speedup speedup{};  // ours over theirs; its refusal says why there is none
  bool is_mixed = false;        // the contents of both, as evaluate::Timing has it
  int tries = 0;
};

struct ProgramTimes {
  evaluate::Timing plain;
  evaluate::Timing graph;       // no samples when run() could not be captured, or gave no right answers when replayed
  std::string without_graph{};  // why not, then
  double prepare_us = 0;        // of a prepare() that is not the first
  std::optional<BaselineTimes> baseline{};  // where one was asked for
  // How it ended while it was timed, and what it did there; without a good end there are no times.
  evaluate::Ending ending = evaluate::Ending::kOk;
  std::string fault{};
  std::string device{};  // as CUDA calls it
  uint64_t l2_bytes = 0;
  std::string shared{};  // with whom the GPU was shared; then the times may not be reported
  std::string clocks{};  // how its clocks moved, likewise

  // A sentence where none of the times may be reported.
  std::string refusal() const;
  bool graph_is_faster() const { return !graph.samples_us.empty() && graph.median_us < plain.median_us; }
  double best_us() const { return graph_is_faster() ? graph.median_us : plain.median_us; }
};

// Sample values for what `graph` takes.
evaluate::TimedSubject sample_subject(const ir::Graph& graph);

// The program that ours is timed against.
struct Baseline {
  std::string name;
  evaluate::CandidateBinary binary{};
  std::string why_none{};  // not empty: it cannot be run, and this is why
  int fours = 6;           // of blocks, A B B A
};

// A program that cannot be captured into a graph has no times by graph. A baseline that fails is no Error: there is no
// speedup then, and a sentence.
Result<ProgramTimes> time_program(const evaluate::TimedSubject& subject, const evaluate::RunnerOptions& options,
                                  const evaluate::TimingOptions& timing = {},
                                  const std::optional<Baseline>& baseline = std::nullopt);

}  // namespace stitch::tuning
