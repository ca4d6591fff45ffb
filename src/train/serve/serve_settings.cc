// SPDX-License-Identifier: Apache-2.0
#include "train/serve/serve_settings.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "train/files/find_weights.h"
#include "train/files/text_files.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& template_names() {
  static const std::vector<std::string> names = {"chatml", "smollm2", "qwen3"};  // in the order of tokens::ChatTemplate
  return names;
}

// Options by the keys that they stand for.
constexpr std::array<std::pair<const char*, const char*>, 6> kOptions = {{{"--name", "name"},
                                                                          {"--tokenizer", "tokenizer"},
                                                                          {"--template", "template"},
                                                                          {"--device", "device"},
                                                                          {"--listen", "listen"},
                                                                          {"--token-file", "token_file"}}};

Result<Json> settings_of_words(const std::vector<std::string>& words) {
  Json json = {{"model", Json::object()}};
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    if (words[i] == "--model" || words[i] == "--adapter") {
      json["model"][words[i] == "--model" ? "path" : "adapter"] = value;
      continue;
    }
    if (words[i] == "--threads" || words[i] == "--max-batch") {
      json[words[i] == "--threads" ? "threads" : "max_batch"] = std::atoi(value.c_str());
      continue;
    }
    bool is_known = false;
    for (const auto& [option, key] : kOptions) {
      if (words[i] == option) {
        json[key] = value;
        is_known = true;
      }
    }
    if (!is_known) {
      return failure(ErrorCode::kUsage, "serve-model has no '" + words[i] + "'", "",
                     "see stitchcuda serve-model --help");
    }
  }
  if (words.empty() || words.size() % 2 != 0) {
    return failure(ErrorCode::kUsage, "serve-model needs --config FILE, or --model PATH and other options with values",
                   "", "see stitchcuda serve-model --help");
  }
  return json;
}

Result<ServeSettings> settings_in(const Json& json, const std::string& where, const fs::path& base) {
  constexpr int64_t kMaxCount = int64_t{1} << 24;
  constexpr int64_t kMaxBatch = 1024;
  constexpr int64_t kMaxWaiting = 4096;
  Section section(&json, where);
  ServeSettings settings;
  settings.base = base;
  Section model = section.child("model");
  read_model_source(model, settings.model);
  section.add(std::move(model));
  section.read("name", settings.name);
  section.read("tokenizer", settings.tokenizer);
  if (section.has("template")) {
    size_t chat = 0;
    section.read("template", chat, template_names());
    settings.chat = template_names()[chat];
  }
  section.read("device", settings.device);
  section.read("listen", settings.listen);
  section.read("token_file", settings.token_file);
  section.read("require_token", settings.needs_token);
  section.read("threads", settings.threads, 1, 256);
  section.read("max_tokens", settings.max_tokens, 0, kMaxCount);
  section.read("max_batch", settings.max_batch, 1, kMaxBatch);
  section.read("max_waiting", settings.max_waiting, 1, kMaxWaiting);
  STITCH_TRY(section.finish());
  return settings;
}

// That of the adapter first: it may have been trained with another template than its base.
Result<TextFiles> own_text(const ServeSettings& settings) {
  if (!settings.tokenizer.empty()) {
    return read_text_files(settings.base / settings.tokenizer);
  }
  const fs::path adapter = settings.base / settings.model.adapter;
  std::error_code ignored;
  if (!settings.model.adapter.empty() && fs::exists(adapter / "tokenizer.json", ignored)) {
    return read_text_files(adapter);
  }
  if (settings.model.path.empty()) {
    return failure(ErrorCode::kUsage, "a model of random weights has no tokenizer of its own", "tokenizer", "name one");
  }
  return read_text_files(settings.base / settings.model.path);
}

}  // namespace

std::string served_name(const fs::path& path) {
  const fs::path file = path.lexically_normal();
  const std::string name = file.extension() == ".gguf" ? file.stem().string() : file.filename().string();
  return name.empty() ? file.parent_path().filename().string() : name;
}

Result<ServeSettings> read_serve_settings(const std::vector<std::string>& words) {
  ServeSettings settings;
  if (words.size() != 2 || words[0] != "--config") {
    STITCH_ASSIGN(const Json json, settings_of_words(words));
    STITCH_ASSIGN(settings, settings_in(json, "serve-model", ""));
  } else {
    STITCH_ASSIGN(const std::string text, read_file(words[1]));
    STITCH_ASSIGN(const auto json, parse_commented_json(text, words[1]));
    STITCH_ASSIGN(settings, settings_in(*json, words[1], fs::path(words[1]).parent_path()));
  }
  return settings;
}

Result<void> resolve_weights(ServeSettings& settings) {
  if (settings.model.path.empty()) {
    return {};
  }
  const fs::path named = fs::absolute(settings.base / settings.model.path).lexically_normal();
  STITCH_ASSIGN(const FoundWeights found, find_weights(named));
  if (!found.adapter.empty() && !settings.model.adapter.empty()) {
    return failure(ErrorCode::kUsage, "the model is a checkpoint of an adapter, and another adapter is named",
                   named.string(), "leave one of the two out");
  }
  if (settings.name.empty() && (settings.model.adapter.empty())) {
    settings.name = served_name(named);
  }
  settings.model.path = found.model.string();
  settings.model.adapter = found.adapter.empty() ? settings.model.adapter : found.adapter.string();
  return {};
}

Result<completions::ModelText> read_model_text(const ServeSettings& settings, const weights::ModelConfig& sizes) {
  STITCH_ASSIGN(const TextFiles files, own_text(settings));
  const std::string place = (settings.base / (settings.tokenizer.empty() ? settings.model.path : settings.tokenizer));
  STITCH_ASSIGN(auto tokenizer, tokens::Tokenizer::from_json(files.tokenizer, place));
  auto chat = tokens::ChatTemplate::kChatMl;
  if (settings.chat.empty()) {
    const auto known = tokens::chat_template_of(files.chat);
    if (!known.has_value()) {
      return failure(ErrorCode::kUsage,
                     files.chat.empty() ? "the model's files hold no chat template" : known.error().message, place,
                     "say 'template': chatml, smollm2 or qwen3");
    }
    chat = *known;
  }
  for (size_t i = 0; i < template_names().size(); ++i) {
    chat = settings.chat == template_names()[i] ? static_cast<tokens::ChatTemplate>(i) : chat;
  }
  STITCH_ASSIGN(auto made, completions::make_model_text(std::move(tokenizer), chat, sizes.eos_tokens,
                                                        sizes.max_positions, sizes.vocab_size));
  made.default_tokens = settings.max_tokens;
  return made;
}

}  // namespace stitch::train
