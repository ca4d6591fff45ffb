// SPDX-License-Identifier: Apache-2.0
#include "train/serve/torch_engine.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
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
  versions_.push_back(std::make_unique<Version>(Version{std::move(about), std::move(base)}));
}

std::vector<completions::ServedModel> TorchEngine::models() const {
  const std::lock_guard lock(mutex_);
  std::vector<completions::ServedModel> models;
  for (const auto& version : versions_) {
    models.push_back(version->about);
  }
  return models;
}

Result<const Decoder*> TorchEngine::decoder_of(const std::string& name) const {
  for (const auto& version : versions_) {
    if (version->about.name == name) {
      return &version->decoder;
    }
  }
  return failure(ErrorCode::kUsage, "the model '" + name + "' is served no more", "", "GET /v1/models lists them");
}

Result<std::vector<completions::Drawn>> TorchEngine::draw(const completions::DrawRequest& request,
                                                          const completions::BeforeToken& before_token) {
  STITCH_ASSIGN(const Decoder* decoder, decoder_of(request.model));
  std::vector<SampleRequest> requests;
  for (int64_t i = 0; i < request.count; ++i) {
    requests.push_back({request.prompt, static_cast<uint64_t>(i)});
  }
  const TokenMask mask = [&](size_t sample, std::span<const int64_t> tokens) {
    const std::vector<uint8_t>* allowed = before_token(sample, tokens);
    return allowed == nullptr
               ? Tensor()
               : at::tensor(at::ArrayRef<uint8_t>(allowed->data(), allowed->size()), at::kByte).to(at::kBool);
  };
  auto drawn = guarded([&] { return sample(*decoder, requests, settings_of(request), mask); }, ErrorCode::kEnvironment,
                       "LibTorch could not draw");
  if (!drawn.has_value()) {
    return failure(drawn.error());
  }
  STITCH_ASSIGN(std::vector<Sample> samples, std::move(drawn).value());
  std::vector<completions::Drawn> answers;
  for (Sample& each : samples) {
    answers.push_back({.tokens = std::move(each.tokens),
                       .log_probs = std::move(each.log_probs),
                       .is_stopped = each.finish_reason == FinishReason::kStop});
  }
  return answers;
}

Result<std::vector<float>> TorchEngine::score(const std::string& model, const completions::TokenIds& tokens) {
  STITCH_ASSIGN(const Decoder* decoder, decoder_of(model));
  return trainer_scores(*decoder, tokens);
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
  if (decoder_of(name).has_value()) {
    return failure(ErrorCode::kUsage, "there is a model '" + name + "' already", "", "give each version its own name");
  }
  auto read = guarded([&] { return read_version(name, path); }, ErrorCode::kEnvironment, "LibTorch could not load");
  if (!read.has_value()) {
    return failure(read.error());
  }
  STITCH_ASSIGN(Version version, std::move(read).value());
  const std::lock_guard lock(mutex_);
  versions_.push_back(std::make_unique<Version>(std::move(version)));
  return {};
}

Result<void> TorchEngine::unload(const std::string& name) {
  STITCH_TRY(decoder_of(name));
  if (versions_.front()->about.name == name) {
    return failure(ErrorCode::kUsage, "the base cannot be unloaded: all versions stand on it");
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(versions_, [&](const auto& version) { return version->about.name == name; });
  return {};
}

}  // namespace stitch::train
