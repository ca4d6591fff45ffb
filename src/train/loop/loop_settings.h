// SPDX-License-Identifier: Apache-2.0
// What all training loops are told in the same words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error/result.h"
#include "rl/schedule/learning_rate.h"
#include "train/files/model_files.h"
#include "train/optimizer/adamw.h"
#include "train/settings/section.h"

namespace stitch::train {

// "model": {"path": FOLDER} of trained weights, or {"config": FILE, "seed": N} of random ones.
struct ModelSource {
  std::string path{}, config{};  // as they were written: relative to the configuration's folder
  std::string adapter{};         // a folder of PEFT's to begin from
  int64_t seed = 0;
  bool is_bf16 = false;           // its weights
  bool computes_in_bf16 = false;  // its layers
};

struct OptimizerSettings {
  AdamWSettings adamw{};
  rl::LearningRateSchedule schedule{};
  double max_gradient_norm = 1;  // 0: gradients are not clipped
};

struct LoopSettings {
  std::string run{};  // its folder, relative to the configuration's
  std::string device = "cpu";
  int64_t threads = 1;  // of an operator on a processor
  int64_t seed = 0;
  int64_t steps = 0;
  int64_t batch = 8;        // records of one step; of loops that draw what they learn from: not read
  int64_t micro_batch = 8;  // of one forward pass
  bool recompute_blocks = false;
  int64_t head_chunk = 1024;
  ModelSource model{};
  std::optional<weights::AdapterConfig> lora{};  // none: all weights are trained
  OptimizerSettings optimizer{};
  int64_t checkpoint_every = 100;
  int64_t checkpoints_kept = 2;
  std::filesystem::path base{};  // the configuration's folder

  std::filesystem::path resolve(const std::string& path) const { return base / path; }
};

void read_model_source(Section& section, ModelSource& model);

// Reads the keys of LoopSettings; a loop's own are read by the loop, which asks section.finish(). kDrawn: the loop
// draws what a step learns from, so that there is no "batch", and each step leaves a checkpoint unless told otherwise.
enum class BatchKind { kOfRecords, kDrawn };
void read_loop_settings(Section& section, LoopSettings& settings, BatchKind kind = BatchKind::kOfRecords);

// Of the model, without reading its weights. `base` is the folder that its paths are relative to.
Result<weights::ModelConfig> model_config_of(const ModelSource& source, const std::filesystem::path& base);

// The model, with its adapter where it has one.
Result<Decoder> load_model(const ModelSource& source, const std::filesystem::path& base, const std::string& device);

// The model with its adapter, ready for the first step.
Result<Decoder> starting_model(const LoopSettings& settings);

}  // namespace stitch::train
