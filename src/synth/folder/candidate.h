// SPDX-License-Identifier: Apache-2.0
// One candidate for a task: what it is made of, and by which filter it fell.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::synth {

struct Candidate {
  uint64_t number = 0;
  std::string name{};    // "000017_conv_relu"
  std::string fallen{};  // a filter's name; empty: kept
  std::string why{};
  std::string source{};         // its text; not in the journal
  std::string origin = "rule";  // or the model that wrote it
  std::string digest{};         // of the text
  std::string signature{};
  std::string family{};
  std::string split{};
  std::vector<std::string> operators{};
  std::vector<std::string> seeds{};
  std::vector<std::pair<std::string, int64_t>> sizes{};
  std::vector<std::pair<std::string, int64_t>> reduced{};
  std::vector<uint64_t> subtrees{};
  double modelled_ms = 0;
  size_t launches = 0;

  bool is_kept() const { return fallen.empty(); }
  std::string file() const { return "tasks/" + name + ".py"; }
};

// A line of the journal: of what fell the number, filter and reason alone.
Json to_json(const Candidate& candidate);
Result<Candidate> candidate_from_json(const Json& json);
// A line of tasks.jsonl: "stitchcuda.task/1", without what only the filters need.
Json task_line(const Candidate& candidate);

}  // namespace stitch::synth
