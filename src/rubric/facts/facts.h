// SPDX-License-Identifier: Apache-2.0
// The facts that marks are computed from. A fact that was not observed is absent, never zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/report/hack_class.h"
#include "artifact/report/listed_launches.h"
#include "artifact/report/verdict.h"
#include "base/json/json_forward.h"
#include "rubric/rewards/facts.h"

namespace stitch::rubric {

// Something in the text that can run: "vector_access", with how often and where first.
struct SourceFeature {
  std::string name;
  int count = 0;
  std::string location;  // "steps/00_norm.cu:41"
};

struct SourceFacts {
  std::vector<SourceFeature> features;  // of functions that can be reached
  std::vector<std::string> kernels;     // that can be reached: "matmul candidate/program.cu:5"
  std::vector<std::string> left_aside;  // defined, never launched: they earn nothing
  int kernels_with_inputs = 0;          // of those reached, that have inputs (const pointers) among their parameters
  int kernels_that_ignore_inputs = 0;   // of those, that read none of them
  int max_table_length = 0;             // numbers in the longest list of numbers of the text
  int shared_arrays = 0;                // declared in functions that can be reached
  int idle_shared_arrays = 0;           // of those, where no thread reads what another wrote
  int copied_arrays = 0;                // that asynchronous copies fill
  int unread_copied_arrays = 0;         // of those, that nobody reads
  int idle_shuffles = 0;                // whose result goes nowhere: they are no feature
  std::vector<std::string> idle;        // a sentence for each of these
  const SourceFeature* feature(const std::string& name) const;
};

// What the reference asks for, counted on its graph.
struct Workload {
  int operators = 0;
  double flops = 0;
  double contraction_flops = 0;  // of products and convolutions
  double bytes = 0;              // least, of the steps of our plan
  int steps = 0;                 // launches of our plan
  bool reuses_data = false;      // contractions, reductions: elements that several results need
};

// A step of a program of ours.
struct PlanStepFacts {
  std::string file;  // "steps/00_norm.cu"
  int operators = 0;
  bool is_library = false;
  double flops = 0;
  double bytes = 0;
  double modelled_us = 0;
};

struct FrameworkFacts {
  HackClass hack_class = HackClass::kClean;
  double share = 0;  // of the reference's time by roofline, left to the framework
  std::vector<std::string> left;
  std::string evidence;
};

struct Facts {
  Skill skill = Skill::kScratch;
  std::string candidate;  // "project" (ours), "sources", "bundle", "library", "python"
  std::optional<Verdict> verdict;
  std::optional<FrameworkFacts> framework;  // none: it cannot call the framework, its libraries are not linked
  std::optional<ListedLaunches> launches;   // of all calls; none: not listed (a GPU, Python, not run)
  std::optional<Workload> workload;
  std::vector<PlanStepFacts> plan;  // of a project of ours
  std::optional<SourceFacts> source;
  std::optional<std::string> feedback;  // what a refinement was asked to do
  std::optional<SourceFacts> before;    // the source that it refined
};

Json to_json(const Facts& facts);
Result<Facts> facts_from_json(const Json& json);

}  // namespace stitch::rubric
