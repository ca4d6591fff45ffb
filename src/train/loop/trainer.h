// SPDX-License-Identifier: Apache-2.0
// What every loop does around its own loss: the model, its optimizer, metrics and checkpoints, and going on after a run
// that was ended.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/checkpoint/run_folder.h"
#include "train/checkpoint/run_report.h"
#include "train/files/text_files.h"
#include "train/loop/loop_settings.h"
#include "train/parallel/training_group.h"
#include "train/records/lesson_records.h"

namespace stitch::train {

// What a loop trains beside the model, in the same checkpoints: a critic.
class CheckpointPart {
 public:
  virtual ~CheckpointPart() = default;
  virtual Result<void> write(const std::filesystem::path& folder) const = 0;
  virtual Result<void> read(const std::filesystem::path& folder) = 0;
};

class Trainer {
 public:
  // Begins the run, or goes on behind its latest checkpoint. `resolved` are all settings of the loop, and `inputs` what
  // its data are known by ({"train": SHA-256}): kUsage when the run was begun with others. `model` is where it begins.
  static Result<Trainer> open(const LoopSettings& settings, const Json& resolved, const Json& inputs, Decoder model,
                              CheckpointPart* part = nullptr, const TrainingGroup& group = {});
  // From starting_model(). Of a group each process opens its own: all train, the first one writes.
  static Result<Trainer> open(const LoopSettings& settings, const Json& resolved, const Json& inputs,
                              const TrainingGroup& group = {});

  const LoopSettings& settings() const { return settings_; }
  const Decoder& model() const { return model_; }
  const TrainingGroup& group() const { return group_; }
  int64_t step() const { return step_; }  // of the next update, from 0
  bool is_done() const { return step_ >= settings_.steps; }

  // Tokenizer and chat template that checkpoints have beside their weights, where they are not those of the model that
  // the run began with. The path is relative to the configuration's folder.
  Result<void> keep_text_of(const LessonSource& source);

  // A line of metrics.jsonl before that of the first step: of what was there when the run began. Whoever goes on behind
  // a checkpoint finds it there, and writes no other.
  Result<void> tell_begin(const Json& line);

  // One update down the gradients that the parameters hold, summed over the group; they are dropped afterwards.
  // `metrics` get the learning rate and the gradients' norm, and become a line of metrics.jsonl. kEnvironment when the
  // norm is not finite: nothing is changed then.
  Result<void> update(Json& metrics);
  // The halves of it, for steps of several updates, or of none: the first gives the norm, the second ends the step.
  Result<double> descend();
  Result<void> end_step(Json& metrics);
  double learning_rate() const { return rl::learning_rate(settings_.optimizer.schedule, step_); }

  // Behind a step: a checkpoint where one belongs, after the last step, or where `anyway` says so; now and then a page
  // of the curves up to there, too. kInterrupted, with the checkpoint written, where the process was asked to end.
  Result<void> leave_step(bool anyway = false);
  Result<void> write_checkpoint();

 private:
  Trainer(LoopSettings settings, Decoder model, Json inputs, CheckpointPart* part, TrainingGroup group);
  Result<void> resume(const CheckpointPlace& place);
  Result<void> fill_checkpoint(const std::filesystem::path& folder) const;

  LoopSettings settings_;
  Decoder model_;
  AdamW optimizer_;
  RunFolder run_;
  TextFiles text_{};
  ReportPace report_{};
  CheckpointPart* part_;                // or none; it outlives this
  std::shared_ptr<const Json> inputs_;  // shared with nobody: <nlohmann/json.hpp> stays out of this header
  TrainingGroup group_;
  int64_t step_ = 0;
  int64_t metrics_bytes_ = 0;
};

}  // namespace stitch::train
