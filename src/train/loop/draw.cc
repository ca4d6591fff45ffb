// SPDX-License-Identifier: Apache-2.0
#include "train/loop/draw.h"

#include <algorithm>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/seed/seed.h"
#include "train/loop/loop_settings.h"
#include "train/loop/training_data.h"
#include "train/sampler/sample.h"
#include "train/torch/runtime.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

struct DrawSettings {
  ModelSource model{};
  std::string device = "cpu", prompts{}, out{};
  int64_t threads = 1;  // of an operator on a processor
  int64_t samples = 1;  // of each prompt
  int64_t batch = 32;   // drawn at once
  int64_t seed = 0;
  SampleSettings sampling{};
  bool has_stop_tokens = false;
  std::optional<LessonSource> lessons{};  // whose questions are the prompts
};

void read_draw_settings(Section& section, DrawSettings& settings) {
  constexpr int64_t kMaxCount = int64_t{1} << 24;
  Section model = section.child("model");
  read_model_source(model, settings.model);
  section.add(std::move(model));
  section.read("device", settings.device);
  section.read("threads", settings.threads, 1, 1024);
  section.require("prompts");
  section.read("prompts", settings.prompts);
  settings.lessons = read_lesson_source(section, WhichLessons::kAll);
  section.require("out");
  section.read("out", settings.out);
  section.read("samples", settings.samples, 1, kMaxCount);
  section.read("batch", settings.batch, 1, kMaxCount);
  section.read("seed", settings.seed, 0, static_cast<int64_t>(kLargestSeed));
  section.read("max_tokens", settings.sampling.max_tokens, 1, kMaxCount);
  section.read("temperature", settings.sampling.restriction.temperature, 0, 100);
  section.read("top_k", settings.sampling.restriction.top_k, 0, kMaxCount);
  section.read("top_p", settings.sampling.restriction.top_p, 0, 1);
  settings.has_stop_tokens = section.has("stop_tokens");
  section.read("stop_tokens", settings.sampling.stop_tokens);
}

// The prompts, and with lessons what makes text of an answer.
struct DrawPrompts {
  RecordFile file;
  std::optional<LessonReader> reader{};
  LessonsLeftOut left_out{};
};

Result<DrawPrompts> read_prompts(const DrawSettings& settings, const fs::path& base,
                                 const weights::ModelConfig& sizes) {
  DrawPrompts prompts;
  if (!settings.lessons.has_value()) {
    STITCH_ASSIGN(prompts.file,
                  read_records(base / settings.prompts, sizes.vocab_size, sizes.max_positions, RecordKind::kPrompt));
    return prompts;
  }
  STITCH_ASSIGN(LessonReader reader, open_lessons(*settings.lessons, base, sizes.vocab_size));
  // One position at least is left for the answer.
  STITCH_ASSIGN(LessonFile lessons, reader.read(base / settings.prompts, sizes.max_positions - 1, RecordKind::kPrompt));
  prompts.file = std::move(lessons.file);
  prompts.left_out = lessons.left_out;
  prompts.reader = std::move(reader);
  return prompts;
}

void choose_stop_tokens(DrawSettings& settings, const weights::ModelConfig& sizes, const DrawPrompts& prompts) {
  if (!settings.has_stop_tokens) {
    settings.sampling.stop_tokens = sizes.eos_tokens;
    if (prompts.reader.has_value()) {
      settings.sampling.stop_tokens.push_back(prompts.reader->end_of_turn());
    }
  }
}

std::string line_of(const SampleRequest& request, int64_t number, const Sample& drawn, const DrawSettings& settings,
                    const std::optional<LessonReader>& reader) {
  Json line = {{"prompt", number / settings.samples}, {"sample", number % settings.samples}};
  line["prompt_ids"] = request.prompt;
  line["response_ids"] = drawn.tokens;
  line["logp_rollout"] = drawn.log_probs;
  line["finish_reason"] = drawn.finish_reason == FinishReason::kStop ? "stop" : "length";
  if (reader.has_value()) {
    line["text"] = reader->text_of(drawn.tokens);
  }
  return line.dump() + "\n";
}

}  // namespace

Result<Json> run_sample(const Configuration& config) {
  Section section(config.json.get(), config.where);
  DrawSettings settings;
  read_draw_settings(section, settings);
  STITCH_TRY(section.finish());
  settings.sampling.seed = static_cast<uint64_t>(settings.seed);

  const fs::path& base = config.base;
  compute_with(settings.threads);
  STITCH_ASSIGN(const Decoder decoder, load_model(settings.model, base, settings.device));
  const auto& sizes = decoder.config();
  STITCH_ASSIGN(const DrawPrompts prompts, read_prompts(settings, base, sizes));
  choose_stop_tokens(settings, sizes, prompts);
  const int64_t count = static_cast<int64_t>(prompts.file.records.size()) * settings.samples;
  std::string lines;
  int64_t tokens = 0;
  for (int64_t first = 0; first < count; first += settings.batch) {
    std::vector<SampleRequest> requests;
    for (int64_t i = first; i < std::min(count, first + settings.batch); ++i) {
      requests.push_back(
          {prompts.file.records[static_cast<size_t>(i / settings.samples)].prompt, static_cast<uint64_t>(i)});
    }
    STITCH_ASSIGN(const auto drawn, sample(decoder, requests, settings.sampling));
    for (size_t i = 0; i < drawn.size(); ++i) {
      lines += line_of(requests[i], first + static_cast<int64_t>(i), drawn[i], settings, prompts.reader);
      tokens += static_cast<int64_t>(drawn[i].tokens.size());
    }
  }
  STITCH_TRY(write_file(base / settings.out, lines));
  Json answer = {{"out", (base / settings.out).string()}, {"samples", count}, {"tokens", tokens}};
  if (prompts.reader.has_value()) {
    answer["left_out"] = to_json(prompts.left_out);
  }
  return answer;
}

}  // namespace stitch::train
