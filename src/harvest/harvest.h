// SPDX-License-Identifier: Apache-2.0
// Lessons from runs of benches: what agents were asked and answered there, with what became of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "harvest/copies.h"

namespace stitch::harvest {

struct HarvestRequest {
  std::vector<std::string> benches;  // ids or folders of runs (stitchcuda bench)
  std::filesystem::path out;         // a folder; what an earlier harvest left there is replaced
  std::filesystem::path rubric;      // by which marks and rewards are made
  CopiesRequest copies{};            // no lessons come of tasks that are copies of these; without any nothing is asked
};

struct HarvestReport {
  size_t runs = 0;   // of agents
  size_t tasks = 0;  // that have a lesson
  // "train scratch right" -> how many (a right text that is slow counts as "slow"); "train scratch" -> how many of them
  // are positive, and how many are not.
  std::map<std::string, size_t> lessons{};
  std::map<std::string, size_t> positive{};
  std::map<std::string, size_t> negative{};
  std::map<std::string, size_t> fallen{};  // samples that are no lesson, by the reason
  size_t against = 0;                      // programs that tasks were held against
  std::vector<synth::Accusation> contaminated{};
  std::vector<std::string> passed_over{};  // runs that could not be read, a sentence each
  size_t count() const;
};

// Writes train.jsonl, validation.jsonl, test.jsonl (a lesson a line) and report.json into `out`. kUsage for a
// benchmark's tasks, for tasks without a family, which have no split, and where no agents ran.
Result<HarvestReport> harvest(const HarvestRequest& request, const driver::Services& services);

Json to_json(const HarvestReport& report);
std::string describe(const HarvestReport& report, const std::filesystem::path& out);

}  // namespace stitch::harvest
