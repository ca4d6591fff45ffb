// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/update.h"

#include <algorithm>

namespace stitch::train {
namespace {

template <typename Item, typename Use>
void by_micro_batch(const std::vector<Item>& items, int64_t size, const Use& use) {
  for (size_t first = 0; first < items.size(); first += static_cast<size_t>(size)) {
    const size_t last = std::min(items.size(), first + static_cast<size_t>(size));
    use(std::vector<Item>(items.begin() + static_cast<int64_t>(first), items.begin() + static_cast<int64_t>(last)));
  }
}

std::vector<const TrainingRecord*> records_of(const LearnedSamples& samples) {
  std::vector<const TrainingRecord*> records;
  for (const LearnedSample* sample : samples) {
    records.push_back(sample->record);
  }
  return records;
}

// Where token i of a record's response stands among the scores of tokens 1, 2, ...; below 0: nowhere.
int64_t column_of(const TrainingRecord& record, size_t i) { return static_cast<int64_t>(record.prompt.size() + i) - 1; }

// A list of each sample as a row of the batch's shape, on the model's device; undefined where the lists are empty.
Tensor rows_of(const LearnedSamples& samples, std::vector<double> LearnedSample::*list, const Tensor& wanted) {
  if (samples.empty() || (samples.front()->*list).empty()) {
    return {};
  }
  const Tensor rows = at::zeros(wanted.sizes(), at::kFloat);
  for (size_t row = 0; row < samples.size(); ++row) {
    float* values = rows.data_ptr<float>() + static_cast<int64_t>(row) * wanted.size(1);
    const std::vector<double>& given = samples[row]->*list;
    for (size_t i = 0; i < given.size(); ++i) {
      if (const int64_t column = column_of(*samples[row]->record, i); column >= 0) {
        values[column] = static_cast<float>(given[i]);
      }
    }
  }
  return rows.to(wanted.device());
}

// Back: of each record's response.
std::vector<double> list_of(const Tensor& scores, int64_t row, const TrainingRecord& record) {
  std::vector<double> list(record.response.size(), 0.0);
  const float* values = scores.data_ptr<float>() + row * scores.size(1);
  for (size_t i = 0; i < list.size(); ++i) {
    const int64_t column = column_of(record, i);
    list[i] = record.mask[i] && column >= 0 ? values[column] : 0.0;
  }
  return list;
}

RecordBatch placed_batch(const Decoder& model, const std::vector<const TrainingRecord*>& records) {
  const RecordBatch batch = batch_of(records);
  const auto device = model.head().device();
  return {batch.tokens.to(device), batch.wanted.to(device)};
}

// [records, tokens - 1]: before tokens 1, 2, ...
Tensor values_before(const Decoder& critic, const Tensor& tokens, const Pass& pass) {
  return critic.values(critic.hidden(tokens, pass)).narrow(1, 0, tokens.size(1) - 1);
}

BatchCounts counts_of(const LearnedSamples& samples) {
  BatchCounts counts;
  for (const LearnedSample* sample : samples) {
    const int64_t tokens = learned_tokens(*sample->record);
    counts = counts + BatchCounts{static_cast<double>(tokens), tokens > 0 ? 1.0 : 0.0};
  }
  return counts;
}

}  // namespace

std::vector<RecordScores> score_records(const Decoder& model, const std::vector<const TrainingRecord*>& records,
                                        const PassSettings& settings) {
  const at::NoGradGuard no_gradients;
  ScoreSettings scores = settings.scores;
  scores.with_entropy = true;
  std::vector<RecordScores> all;
  by_micro_batch(records, settings.micro_batch, [&](const std::vector<const TrainingRecord*>& part) {
    const RecordBatch batch = placed_batch(model, part);
    const TokenScores found = token_scores(model, batch.tokens, batch.wanted, settings.pass, scores);
    const Tensor logp = found.log_probs.to(at::kCPU, at::kFloat).contiguous();
    const Tensor entropy = found.entropies.to(at::kCPU, at::kFloat).contiguous();
    for (size_t row = 0; row < part.size(); ++row) {
      const auto place = static_cast<int64_t>(row);
      all.push_back({list_of(logp, place, *part[row]), list_of(entropy, place, *part[row])});
    }
  });
  return all;
}

std::vector<std::vector<double>> values_of(const Decoder& critic, const std::vector<const TrainingRecord*>& records,
                                           const PassSettings& settings) {
  const at::NoGradGuard no_gradients;
  std::vector<std::vector<double>> all;
  by_micro_batch(records, settings.micro_batch, [&](const std::vector<const TrainingRecord*>& part) {
    const RecordBatch batch = placed_batch(critic, part);
    const Tensor values = values_before(critic, batch.tokens, settings.pass).to(at::kCPU, at::kFloat).contiguous();
    for (size_t row = 0; row < part.size(); ++row) {
      all.push_back(list_of(values, static_cast<int64_t>(row), *part[row]));
    }
  });
  return all;
}

PolicyShare accumulate_policy(const Decoder& model, const LearnedSamples& samples, const PolicyLossOptions& options,
                              const PassSettings& settings) {
  const BatchCounts whole = counts_of(samples);
  ScoreSettings scores = settings.scores;
  scores.with_entropy = options.entropy_coefficient != 0;
  PolicyShare all;
  by_micro_batch(samples, settings.micro_batch, [&](const LearnedSamples& part) {
    const RecordBatch batch = placed_batch(model, records_of(part));
    const TokenScores found = token_scores(model, batch.tokens, batch.wanted, settings.pass, scores);
    const PolicyInputs inputs{.logp = found.log_probs,
                              .old_logp = rows_of(part, &LearnedSample::old_logp, batch.wanted),
                              .advantages = rows_of(part, &LearnedSample::advantages, batch.wanted),
                              .mask = batch.wanted,
                              .reference_logp = rows_of(part, &LearnedSample::reference_logp, batch.wanted),
                              .weights = rows_of(part, &LearnedSample::weights, batch.wanted),
                              .entropy = found.entropies};
    const PolicyLoss loss = policy_loss(inputs, options, whole);
    loss.loss.backward();
    all.loss += loss.loss.item<double>();
    all.sums = all.sums + loss.sums;
  });
  return all;
}

ValueShare accumulate_value(const Decoder& critic, const LearnedSamples& samples, const ValueLossOptions& options,
                            const PassSettings& settings) {
  const BatchCounts whole = counts_of(samples);
  ValueShare all;
  by_micro_batch(samples, settings.micro_batch, [&](const LearnedSamples& part) {
    const RecordBatch batch = placed_batch(critic, records_of(part));
    const ValueInputs inputs{.values = values_before(critic, batch.tokens, settings.pass),
                             .old_values = rows_of(part, &LearnedSample::old_values, batch.wanted),
                             .targets = rows_of(part, &LearnedSample::targets, batch.wanted),
                             .mask = batch.wanted};
    const ValueLoss loss = value_loss(inputs, options, whole);
    loss.loss.backward();
    all.loss += loss.loss.item<double>();
    all.tokens += loss.tokens;
    all.clipped += loss.clipped;
  });
  return all;
}

}  // namespace stitch::train
