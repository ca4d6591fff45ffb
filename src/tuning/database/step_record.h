// SPDX-License-Identifier: Apache-2.0
// What a signature in the database stands for: enough to find steps that are alike, and to estimate the step again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace stitch::tuning {

// The extents below this belong to a step's kind: a window of 3 is not much like one of 5.
constexpr int64_t kLeastExtent = 16;

struct StepRecord {
  std::string skeleton;
  std::string family;            // the same of all steps that differ in extents of kLeastExtent and more alone
  std::vector<int64_t> extents;  // those, of operands and then of results
  double modelled_us = 0;        // launches and the roofline, by which times of similar steps are scaled
  std::string graph;             // the step as a program of its own, without names
  int root = 0;                  // of its nodes
};

// Of step `index`. kUsage when there is none.
Result<StepRecord> record_of(const plan::Plan& plan, size_t index);

// The record's step as a group of `graph`, which is what its text was parsed into.
kernels::Group group_of(const StepRecord& record, const ir::Graph& graph);

}  // namespace stitch::tuning
