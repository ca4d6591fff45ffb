// SPDX-License-Identifier: Apache-2.0
#include "train/serve/torch_engine.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "base/fs/files.h"
#include "base/guard/guarded.h"
#include "base/hash/sha256.h"
#include "train/files/model_files.h"
#include "train/model/token_scores.h"

namespace stitch::train {
namespace {

constexpr double kMaxCanaryNats = 0.05;  // a token, as reference servers and trainers differ by rounding
constexpr int64_t kCanaryTokens = 16;
constexpr size_t kFingerprintDigits = 16;

bool is_name(const std::string& name) {
  constexpr size_t kMost = 128;
  return !name.empty() && name.size() <= kMost && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/' || c == ':';
  });
}

SampleSettings settings_of(const completions::DrawRequest& request) {
  SampleSettings settings;
  settings.restriction = {.temperature = request.temperature, .top_k = request.top_k, .top_p = request.top_p};
  settings.max_tokens = request.max_tokens;
  settings.stop_tokens = request.stop_tokens;
  settings.seed = request.seed;
  return settings;
}

bool goes_on(const Row& row) { return !row.has_ended; }

// The next token of each row of a draw.
Result<void> draw_tokens(const Decoder& decoder, const SampleSettings& settings,
                         const completions::BeforeToken& before_token, std::vector<Row>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!goes_on(rows[i])) {
      continue;
    }
    const std::vector<uint8_t>* bytes = before_token(i, rows[i].sample.tokens);
    const Tensor allowed =
        bytes == nullptr ? Tensor()
                         : at::tensor(at::ArrayRef<uint8_t>(bytes->data(), bytes->size()), at::kByte).to(at::kBool);
    STITCH_TRY(draw_token(decoder, settings, allowed, rows[i]));
  }
  return {};
}

std::vector<completions::Drawn> samples_of(std::vector<Row> rows) {
  std::vector<completions::Drawn> samples;
  for (Row& row : rows) {
    samples.push_back({.tokens = std::move(row.sample.tokens),
                       .log_probs = std::move(row.sample.log_probs),
                       .is_stopped = row.sample.finish_reason == FinishReason::kStop});
  }
  return samples;
}

// What was read: an adapter's own bytes.
Result<std::string> fingerprint_of(const std::filesystem::path& folder) {
  Sha256 hash;
  for (const char* name : {"adapter_config.json", "adapter_model.safetensors"}) {
    STITCH_ASSIGN(const std::string bytes, read_file(folder / name));
    hash.update_field(bytes);
  }
  return hash.finish().substr(0, kFingerprintDigits);
}

}  // namespace

Result<std::vector<float>> trainer_scores(const Decoder& decoder, const std::vector<int64_t>& tokens) {
  if (tokens.size() < 2) {
    return std::vector<float>();
  }
  if (static_cast<int64_t>(tokens.size()) > decoder.config().max_positions) {
    return failure(ErrorCode::kUsage, "there are more tokens than the model has positions");
  }
  return guarded(
      [&] {
        const at::NoGradGuard no_gradients;
        const Tensor all = at::tensor(tokens, at::kLong).unsqueeze(0).to(decoder.head().device());
        const Tensor wanted = at::ones({1, all.size(1) - 1}, all.options().dtype(at::kBool));
        const Tensor scores = token_scores(decoder, all, wanted).log_probs.flatten().cpu().to(at::kFloat).contiguous();
        return std::vector<float>(scores.data_ptr<float>(), scores.data_ptr<float>() + scores.numel());
      },
      ErrorCode::kEnvironment, "LibTorch could not score");
}

Result<double> canary_difference(const std::vector<float>& sampler, const std::vector<float>& trainer) {
  STITCH_CHECK(sampler.size() == trainer.size() && !sampler.empty()) << "a canary compares the same tokens";
  double sum = 0;
  for (size_t i = 0; i < sampler.size(); ++i) {
    sum += std::abs(static_cast<double>(sampler[i]) - static_cast<double>(trainer[i]));
  }
  const double mean = sum / static_cast<double>(sampler.size());
  if (!(mean <= kMaxCanaryNats)) {
    char text[160];
    std::snprintf(text, sizeof text, "sampler and trainer differ by %.3g nats a token, of which %.2g are allowed", mean,
                  kMaxCanaryNats);
    return failure(ErrorCode::kFileInvalid, text, "", "check that base, adapter and tokenizer belong together");
  }
  return mean;
}

TorchEngine::TorchEngine(Decoder base, completions::ServedModel about, std::vector<int64_t> canary)
    : canary_(std::move(canary)) {
  base.train_base(false);
  versions_.push_back(std::make_shared<const Version>(Version{std::move(about), std::move(base)}));
}

std::vector<completions::ServedModel> TorchEngine::models() const {
  const std::lock_guard lock(mutex_);
  std::vector<completions::ServedModel> models;
  for (const auto& version : versions_) {
    models.push_back(version->about);
  }
  return models;
}

Result<std::shared_ptr<const TorchEngine::Version>> TorchEngine::version_of(const std::string& name) const {
  for (const auto& version : versions_) {
    if (version->about.name == name) {
      return version;
    }
  }
  return failure(ErrorCode::kUsage, "the model '" + name + "' is served no more", "", "GET /v1/models lists them");
}

Result<completions::DrawId> TorchEngine::begin(const completions::DrawRequest& request,
                                               completions::BeforeToken before_token) {
  STITCH_ASSIGN(const auto version, version_of(request.model));
  const SampleSettings settings = settings_of(request);
  STITCH_ASSIGN(PromptReading reading, PromptReading::begin(version->decoder, request.prompt, request.count, settings));
  draws_.push_back({++last_id_, version, settings, std::move(before_token), std::move(reading), {}});
  return last_id_;
}

void TorchEngine::read_prompts() {
  for (Draw& draw : draws_) {
    if (!draw.reading.has_value()) {
      continue;
    }
    const auto read = [&] {
      if (!draw.reading->has_ended()) {
        draw.reading->read_piece(draw.version->decoder);
      }
    };
    draw.outcome = guarded(read, ErrorCode::kEnvironment, "LibTorch could not read the prompt");
    if (draw.outcome.has_value() && draw.reading->has_ended()) {
      draw.rows = draw.reading->rows();
      draw.reading.reset();
    }
  }
}

std::vector<completions::EndedDraw> TorchEngine::step() {
  read_prompts();
  for (Draw& draw : draws_) {
    if (draw.reading.has_value()) {
      continue;
    }
    auto drawn =
        guarded([&] { return draw_tokens(draw.version->decoder, draw.settings, draw.before_token, draw.rows); },
                ErrorCode::kEnvironment, "LibTorch could not draw");
    draw.outcome = drawn.has_value() ? std::move(drawn).value() : failure(drawn.error());
  }
  std::vector<completions::EndedDraw> ended;
  std::set<const Version*> versions;
  for (auto draw = draws_.begin(); draw != draws_.end();) {
    const bool has_failed = !draw->outcome.has_value();
    const bool is_drawing = std::any_of(draw->rows.begin(), draw->rows.end(), goes_on);
    if (!has_failed && (is_drawing || draw->reading.has_value())) {
      if (is_drawing) {
        versions.insert(draw->version.get());
      }
      ++draw;
      continue;
    }
    using Samples = Result<std::vector<completions::Drawn>>;
    ended.push_back(
        {draw->id, has_failed ? Samples(failure(draw->outcome.error())) : samples_of(std::move(draw->rows))});
    draw = draws_.erase(draw);
  }
  for (const Version* version : versions) {
    for (completions::EndedDraw& failed : read_tokens_of(version)) {
      ended.push_back(std::move(failed));
    }
  }
  return ended;
}

std::vector<completions::EndedDraw> TorchEngine::read_tokens_of(const Version* version) {
  std::vector<Row*> rows;
  for (Draw& draw : draws_) {
    for (Row& row : draw.rows) {
      if (draw.version.get() == version && goes_on(row)) {
        rows.push_back(&row);
      }
    }
  }
  const Result<void> done =
      guarded([&] { read_tokens(version->decoder, rows); }, ErrorCode::kEnvironment, "LibTorch could not go on");
  std::vector<completions::EndedDraw> failed;
  for (auto draw = draws_.begin(); !done.has_value() && draw != draws_.end();) {
    const bool is_of_it = draw->version.get() == version;
    if (is_of_it) {
      failed.push_back({draw->id, failure(done.error())});
    }
    draw = is_of_it ? draws_.erase(draw) : std::next(draw);
  }
  return failed;
}

Result<std::vector<float>> TorchEngine::score(const std::string& model, const completions::TokenIds& tokens) {
  STITCH_ASSIGN(const auto version, version_of(model));
  return trainer_scores(version->decoder, tokens);
}

Result<TorchEngine::Version> TorchEngine::read_version(const std::string& name, const std::string& path) const {
  const Version& base = *versions_.front();
  STITCH_ASSIGN(std::string fingerprint, fingerprint_of(path));
  Version version{{.name = name, .parent = base.about.name, .path = path, .fingerprint = std::move(fingerprint)},
                  base.decoder};  // whose weights are the base's own
  STITCH_TRY(read_adapter(path, version.decoder));
  SampleSettings settings;
  settings.max_tokens = kCanaryTokens;
  const std::vector<SampleRequest> requests = {{canary_, 0}};
  STITCH_ASSIGN(const std::vector<Sample> drawn, sample(version.decoder, requests, settings));
  std::vector<int64_t> all = canary_;
  all.insert(all.end(), drawn.front().tokens.begin(), drawn.front().tokens.end());
  STITCH_ASSIGN(const std::vector<float> scores, trainer_scores(version.decoder, all));
  const std::vector<float>& sampled = drawn.front().log_probs;
  STITCH_ASSIGN(version.about.canary_nats,
                canary_difference(sampled, {scores.end() - static_cast<int64_t>(sampled.size()), scores.end()}));
  return version;
}

Result<void> TorchEngine::load(const std::string& name, const std::string& path) {
  if (!is_name(name)) {
    return failure(ErrorCode::kUsage, "a version's name has letters, digits and . _ - / : alone, 128 at most");
  }
  if (version_of(name).has_value()) {
    return failure(ErrorCode::kUsage, "there is a model '" + name + "' already", "", "give each version its own name");
  }
  auto read = guarded([&] { return read_version(name, path); }, ErrorCode::kEnvironment, "LibTorch could not load");
  if (!read.has_value()) {
    return failure(read.error());
  }
  STITCH_ASSIGN(Version version, std::move(read).value());
  const std::lock_guard lock(mutex_);
  versions_.push_back(std::make_shared<const Version>(std::move(version)));
  return {};
}

Result<void> TorchEngine::unload(const std::string& name) {
  STITCH_TRY(version_of(name));
  if (versions_.front()->about.name == name) {
    return failure(ErrorCode::kUsage, "the base cannot be unloaded: all versions stand on it");
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(versions_, [&](const auto& version) { return version->about.name == name; });
  return {};
}

}  // namespace stitch::train
