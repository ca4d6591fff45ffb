// SPDX-License-Identifier: Apache-2.0
// `stitchcuda decontaminate`: which tasks are copies of a benchmark's programs, by three tests that see different ones:
// syntax trees that are alike, equal signatures of the operators that run, equal graphs after our rewrites.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "driver/job/job.h"
#include "synth/filters/likeness.h"

namespace stitch::synth {

struct DecontaminateRequest {
  std::filesystem::path tasks{};    // a tasks.jsonl, a folder of programs, or one program
  std::filesystem::path against{};  // a folder, searched to the bottom, or one program
  double max_likeness = kMaxLikeness;
  bool with_graphs = true;  // the third test imports each program: about a second each
  int jobs = 2;
  driver::Options options{};
};

// What is known of one program.
struct Program {
  std::string name{};  // its path as it was given
  std::string line{};  // of the list it stands in; empty: of a folder
  std::vector<uint64_t> subtrees{};
  std::string signature{};  // empty: it could not be called on shapes alone
  std::string graph{};      // digest; empty: it could not be imported
  std::string trouble{};    // why one of these is missing
};

// Why a task goes.
struct Accusation {
  std::string task{};
  std::string of{};      // the benchmark's program
  std::string reason{};  // "syntax", "operators", "graph"; the first that holds
  double likeness = 0;   // of the syntax trees, whatever the reason
};

struct DecontaminateReport {
  std::vector<Program> kept{};
  std::vector<Accusation> accused{};
  std::vector<Program> troubled{};  // of both sides: judged by what is known of them
  size_t tasks = 0;
  size_t against = 0;
  double seconds = 0;
};

// kFileInvalid where a list or a folder holds no program.
Result<DecontaminateReport> decontaminate(const DecontaminateRequest& request, const driver::Services& services);
Json to_json(const DecontaminateReport& report);

// The tests themselves.
std::vector<Accusation> accuse(const std::vector<Program>& tasks, const std::vector<Program>& against,
                               double max_likeness);

}  // namespace stitch::synth
