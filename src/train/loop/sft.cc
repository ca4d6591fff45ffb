// SPDX-License-Identifier: Apache-2.0
#include "train/loop/sft.h"

#include <algorithm>
#include <numeric>

#include "base/json/json.h"
#include "train/loop/training_data.h"

namespace stitch::train {
namespace {

Tensor summed_loss(const Decoder& model, const std::vector<const TrainingRecord*>& records, const Pass& pass,
                   const ScoreSettings& scores) {
  const RecordBatch batch = batch_of(records);
  const auto device = model.head().device();
  return -token_scores(model, batch.tokens.to(device), batch.wanted.to(device), pass, scores).log_probs.sum();
}

int64_t count_tokens(const std::vector<const TrainingRecord*>& records) {
  return std::accumulate(records.begin(), records.end(), int64_t{0},
                         [](int64_t sum, const TrainingRecord* record) { return sum + learned_tokens(*record); });
}

// Calls `use` with at most `size` records at a time.
void in_parts(const std::vector<const TrainingRecord*>& records, int64_t size,
              const std::function<void(const std::vector<const TrainingRecord*>&)>& use) {
  for (size_t first = 0; first < records.size(); first += static_cast<size_t>(size)) {
    const size_t last = std::min(records.size(), first + static_cast<size_t>(size));
    use({records.begin() + static_cast<int64_t>(first), records.begin() + static_cast<int64_t>(last)});
  }
}

double mean_loss(const Decoder& model, const std::vector<TrainingRecord>& records, const LoopSettings& settings) {
  const at::NoGradGuard no_gradients;
  std::vector<const TrainingRecord*> all;
  for (const TrainingRecord& record : records) {
    all.push_back(&record);
  }
  double sum = 0;
  in_parts(all, settings.micro_batch, [&](const auto& part) {
    sum += summed_loss(model, part, {}, {.chunk = settings.head_chunk}).template item<double>();
  });
  return sum / static_cast<double>(count_tokens(all));
}

}  // namespace

BatchLoss accumulate_gradients(const Decoder& model, const std::vector<const TrainingRecord*>& records,
                               int64_t micro_batch, const Pass& pass, const ScoreSettings& scores) {
  BatchLoss all{0, count_tokens(records)};
  in_parts(records, micro_batch, [&](const auto& part) {
    const Tensor loss = summed_loss(model, part, pass, scores);
    (loss / static_cast<double>(all.tokens)).backward();
    all.sum += loss.template item<double>();
  });
  return all;
}

std::vector<const TrainingRecord*> RecordOrder::of_step(int64_t step, int64_t batch) {
  std::vector<const TrainingRecord*> chosen;
  for (const size_t place : order_.of_step(step, batch)) {
    chosen.push_back(&records_[place]);
  }
  return chosen;
}

Result<Json> train_on_records(Trainer& trainer, const std::vector<TrainingRecord>& all,
                              const std::vector<TrainingRecord>& held_out) {
  const LoopSettings& settings = trainer.settings();
  const Pass pass{.recompute_blocks = settings.recompute_blocks};
  RecordOrder order(all, static_cast<uint64_t>(settings.seed));
  Json metrics = Json::object();
  while (!trainer.is_done()) {
    const auto records = order.of_step(trainer.step(), settings.batch);
    const BatchLoss loss =
        accumulate_gradients(trainer.model(), records, settings.micro_batch, pass, {.chunk = settings.head_chunk});
    metrics = {{"loss", loss.sum / static_cast<double>(loss.tokens)}, {"tokens", loss.tokens}};
    const int64_t drawn = trainer.step() * settings.batch;
    metrics["epoch"] = static_cast<double>(drawn) / static_cast<double>(all.size());
    if (!held_out.empty() && trainer.step() % settings.checkpoint_every == 0) {
      metrics["held_out_loss"] = mean_loss(trainer.model(), held_out, settings);  // before this update
    }
    STITCH_TRY(trainer.update(metrics));
    if (trainer.is_checkpoint_due()) {
      STITCH_TRY(trainer.write_checkpoint());
    }
  }
  Json answer = {{"run", settings.resolve(settings.run).string()}, {"step", trainer.step()}};
  answer["checkpoint"] =
      (settings.resolve(settings.run) / "ckpt" / ("step-" + std::to_string(trainer.step()))).string();
  answer["last"] = metrics;
  if (!held_out.empty()) {
    answer["held_out_loss"] = mean_loss(trainer.model(), held_out, settings);
  }
  return answer;
}

Result<Json> run_sft(const Configuration& config) {
  LoopSettings settings;
  settings.base = config.base;
  Section section(config.json.get(), config.where);
  read_loop_settings(section, settings);
  DataSettings files;
  Section data_section = section.child("data");
  read_data_settings(data_section, files);
  section.add(std::move(data_section));
  STITCH_TRY(section.finish());

  STITCH_ASSIGN(const weights::ModelConfig model, model_config_of(settings.model, settings.base));
  STITCH_ASSIGN(const TrainingData data,
                read_training_data(files, settings.base, model.vocab_size, model.max_positions));
  STITCH_ASSIGN(Trainer trainer, Trainer::open(settings, section.resolved(), data.inputs()));
  if (files.lessons.has_value()) {
    STITCH_TRY(trainer.keep_text_of(*files.lessons));
  }
  const Json counts = data.counts();
  if (!counts.is_null()) {
    STITCH_TRY(trainer.tell_begin({{"step", 0}, {"data", counts}}));
  }
  STITCH_ASSIGN(Json answer, train_on_records(trainer, data.train.records, data.held_out.records));
  if (!counts.is_null()) {
    answer["data"] = counts;
  }
  return answer;
}

}  // namespace stitch::train
