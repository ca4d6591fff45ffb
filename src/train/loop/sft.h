// SPDX-License-Identifier: Apache-2.0
// Supervised fine-tuning: the likelihood of responses that are given, prompts not counted. Rejection fine-tuning is the
// same on what was sampled and kept.
#pragma once

#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/loop/order.h"
#include "train/loop/trainer.h"
#include "train/model/token_scores.h"
#include "train/records/training_record.h"
#include "train/settings/configuration.h"

namespace stitch::train {

struct BatchLoss {
  double sum = 0;      // of the negative log-probabilities, in nats
  int64_t tokens = 0;  // that it is over
};

// Adds to the parameters' gradients those of the mean over all learned tokens of `records`, `micro_batch` records at a
// time: how many makes no difference but for rounding, since the mean is that of the whole.
BatchLoss accumulate_gradients(const Decoder& model, const std::vector<const TrainingRecord*>& records,
                               int64_t micro_batch, const Pass& pass, const ScoreSettings& scores);
// The same of one process of a group, on its part of the records: gradients are those of its part of the mean over all,
// which trainer.update() sums; the loss is that of all already.
Result<BatchLoss> accumulate_gradients(const Decoder& model, const std::vector<const TrainingRecord*>& records,
                                       int64_t micro_batch, const Pass& pass, const ScoreSettings& scores,
                                       const TrainingGroup& group);

// Which records a step takes.
class RecordOrder {
 public:
  RecordOrder(const std::vector<TrainingRecord>& records, uint64_t seed)
      : records_(records), order_(records.size(), seed) {}
  std::vector<const TrainingRecord*> of_step(int64_t step, int64_t batch);

 private:
  const std::vector<TrainingRecord>& records_;
  ShuffledOrder order_;
};

// All steps that are left of a trainer that was opened, `batch` records each; checkpoints and metrics with them. The
// answer names the last checkpoint. `held_out` may be empty.
Result<Json> train_on_records(Trainer& trainer, const std::vector<TrainingRecord>& records,
                              const std::vector<TrainingRecord>& held_out);

// Trains as the configuration says, and goes on where a run was ended. The answer names the last checkpoint.
Result<Json> run_sft(const Configuration& config);

}  // namespace stitch::train
