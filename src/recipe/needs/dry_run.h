// SPDX-License-Identifier: Apache-2.0
// `stitchcuda train --dry-run`: a recipe is checked and reckoned through; nothing is loaded, and nothing runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "recipe/keys/stages.h"
#include "recipe/needs/needs.h"

namespace stitch::recipe {

struct PlannedStage {
  Stage stage{};
  std::filesystem::path sizes_from{};  // the config.json that the model's sizes are of
  double adapter_rank = 0;             // where it has an adapter
  Needs needs{};
};

struct DryRunRequest {
  std::filesystem::path config{};
  std::string verb{};           // of a configuration of one stage; empty: what its keys say
  double device_bytes = 141e9;  // of one device: an H200's
};

struct DryRunReport {
  std::vector<PlannedStage> stages{};
  double device_bytes = 0;
};

// Sizes are those of `model.config`, of MODEL/config.json, or, where the model is not on this machine, of
// models/NAME.json beside the configuration. kUsage for a configuration that no loop would take; kFileInvalid where
// nothing says how large the model is.
Result<DryRunReport> dry_run(const DryRunRequest& request);

Json to_json(const DryRunReport& report);
std::string describe(const DryRunReport& report);

}  // namespace stitch::recipe
