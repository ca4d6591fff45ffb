// SPDX-License-Identifier: Apache-2.0
#include "train/serve/serve_settings.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "weights/gguf/gguf_file.h"
#include "weights/gguf/gguf_tokenizer.h"

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

struct TextFiles {
  std::string tokenizer_json{};
  std::string chat{};  // Jinja
};

Result<TextFiles> files_of_gguf(const fs::path& path) {
  STITCH_ASSIGN(const auto file, weights::GgufFile::open(path));
  TextFiles found;
  STITCH_ASSIGN(found.tokenizer_json, weights::gguf_tokenizer_json(file));
  if (file.has("tokenizer.chat_template")) {
    STITCH_ASSIGN(found.chat, file.text("tokenizer.chat_template"));
  }
  return found;
}

// As transformers writes it: in a file of its own, or a member of the tokenizer's settings.
std::string chat_in_folder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "chat_template.jinja", ignored)) {
    const Result<std::string> text = read_file(folder / "chat_template.jinja");
    return text.has_value() ? *text : "";
  }
  const Result<std::string> text = read_file(folder / "tokenizer_config.json");
  const Result<Json> json = text.has_value() ? parse_json(*text, "tokenizer_config.json") : failure(text.error());
  const Result<std::string> chat = json.has_value() ? json_string(*json, "chat_template") : failure(json.error());
  return chat.has_value() ? *chat : "";
}

}  // namespace

Result<ServeSettings> read_serve_settings(const std::vector<std::string>& words) {
  if (words.size() != 2 || words[0] != "--config") {
    STITCH_ASSIGN(const Json json, settings_of_words(words));
    return settings_in(json, "serve-model", "");
  }
  STITCH_ASSIGN(const std::string text, read_file(words[1]));
  STITCH_ASSIGN(const auto json, parse_commented_json(text, words[1]));
  return settings_in(*json, words[1], fs::path(words[1]).parent_path());
}

Result<completions::ModelText> read_model_text(const ServeSettings& settings, const weights::ModelConfig& sizes) {
  const fs::path model = settings.base / settings.model.path;
  const bool is_own = settings.tokenizer.empty();
  const fs::path place = !is_own                        ? settings.base / settings.tokenizer
                         : model.extension() == ".gguf" ? model
                                                        : model / "tokenizer.json";
  if (is_own && settings.model.path.empty()) {
    return failure(ErrorCode::kUsage, "a model of random weights has no tokenizer of its own", "tokenizer", "name one");
  }
  TextFiles files;
  if (place.extension() == ".gguf") {
    STITCH_ASSIGN(files, files_of_gguf(place));
  } else {
    STITCH_ASSIGN(files.tokenizer_json, read_file(place));
    files.chat = chat_in_folder(place.parent_path());
  }
  STITCH_ASSIGN(auto tokenizer, tokens::Tokenizer::from_json(files.tokenizer_json, place.string()));
  auto chat = tokens::ChatTemplate::kChatMl;
  if (settings.chat.empty()) {
    const auto known = tokens::chat_template_of(files.chat);
    if (!known.has_value()) {
      return failure(ErrorCode::kUsage,
                     files.chat.empty() ? "the model's files hold no chat template" : known.error().message,
                     place.string(), "say 'template': chatml, smollm2 or qwen3");
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
