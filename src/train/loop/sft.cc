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

// Those of one part are filled up to the longest of them, so that records of like lengths belong together.
std::vector<const TrainingRecord*> by_length(std::vector<const TrainingRecord*> records) {
  const auto length = [](const TrainingRecord* record) { return record->prompt.size() + record->response.size(); };
  std::stable_sort(records.begin(), records.end(), [&](const auto* a, const auto* b) { return length(a) < length(b); });
  return records;
}

// Adds the gradients of the records' part of a mean over `tokens`, and gives their summed loss.
double summed_gradients(const Decoder& model, const std::vector<const TrainingRecord*>& records, int64_t tokens,
                        int64_t micro_batch, const Pass& pass, const ScoreSettings& scores) {
  double sum = 0;
  in_parts(by_length(records), micro_batch, [&](const auto& part) {
    const Tensor loss = summed_loss(model, part, pass, scores);
    (loss / static_cast<double>(tokens)).backward();
    sum += loss.template item<double>();
  });
  return sum;
}

// Every so-manieth record: of a batch each process has as many as any other, or one fewer.
std::vector<const TrainingRecord*> part_of(const std::vector<const TrainingRecord*>& records,
                                           const TrainingGroup& group) {
  std::vector<const TrainingRecord*> part;
  for (size_t i = static_cast<size_t>(group.rank()); i < records.size(); i += static_cast<size_t>(group.size())) {
    part.push_back(records[i]);
  }
  return part;
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

// The processes that train together, if there are several.
Result<TrainingGroup> joined_group(const LoopSettings& settings) {
  STITCH_ASSIGN(const GroupPlace place, place_from_environment());
  if (place.size > settings.batch) {
    return failure(
        ErrorCode::kUsage,
        std::to_string(place.size) + " processes share batches of " + std::to_string(settings.batch) + " records",
        "batch", "make 'batch' larger, or start fewer processes");
  }
  return TrainingGroup::join(place, settings.device);
}

}  // namespace

BatchLoss accumulate_gradients(const Decoder& model, const std::vector<const TrainingRecord*>& records,
                               int64_t micro_batch, const Pass& pass, const ScoreSettings& scores) {
  return {summed_gradients(model, records, count_tokens(records), micro_batch, pass, scores), count_tokens(records)};
}

Result<BatchLoss> accumulate_gradients(const Decoder& model, const std::vector<const TrainingRecord*>& records,
                                       int64_t micro_batch, const Pass& pass, const ScoreSettings& scores,
                                       const TrainingGroup& group) {
  const int64_t tokens = count_tokens(records);
  const Tensor sum = at::zeros({1}, at::kDouble);
  sum[0] = summed_gradients(model, part_of(records, group), tokens, micro_batch, pass, scores);
  STITCH_TRY(group.sum({sum}));
  return BatchLoss{sum.item<double>(), tokens};
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
    STITCH_ASSIGN(const BatchLoss loss, accumulate_gradients(trainer.model(), records, settings.micro_batch, pass,
                                                             {.chunk = settings.head_chunk}, trainer.group()));
    metrics = {{"loss", loss.sum / static_cast<double>(loss.tokens)}, {"tokens", loss.tokens}};
    const int64_t drawn = trainer.step() * settings.batch;
    metrics["epoch"] = static_cast<double>(drawn) / static_cast<double>(all.size());
    if (!held_out.empty() && trainer.group().is_first() && trainer.step() % settings.checkpoint_every == 0) {
      metrics["held_out_loss"] = mean_loss(trainer.model(), held_out, settings);  // before this update
    }
    STITCH_TRY(trainer.update(metrics));
    STITCH_TRY(trainer.leave_step());
  }
  if (!trainer.group().is_first()) {
    return Json{{"rank", trainer.group().rank()}, {"step", trainer.step()}};
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
  STITCH_ASSIGN(const TrainingGroup group, joined_group(settings));
  const Json resolved = section.resolved();
  settings.device = group.device(settings.device);
  STITCH_ASSIGN(Trainer trainer, Trainer::open(settings, resolved, data.inputs(), group));
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
