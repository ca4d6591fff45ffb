// SPDX-License-Identifier: Apache-2.0
#include "train/files/text_files.h"

#include "base/fs/files.h"
#include "base/json/json.h"
#include "tokens/chat/chat_jinja.h"
#include "weights/gguf/gguf_file.h"
#include "weights/gguf/gguf_tokenizer.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizer = "tokenizer.json";
constexpr const char* kSettings = "tokenizer_config.json";
constexpr const char* kChat = "chat_template.jinja";
constexpr const char* kChatKey = "chat_template";  // of the settings

std::string text_at(const fs::path& path) {
  std::error_code ignored;
  const Result<std::string> text = fs::exists(path, ignored) ? read_file(path) : Result<std::string>("");
  return text.has_value() ? *text : "";
}

Json settings_of(const TextFiles& files) {
  const Json settings = Json::parse(files.settings, nullptr, false);
  return settings.is_object() ? settings : Json::object();
}

Result<TextFiles> files_of_gguf(const fs::path& path) {
  STITCH_ASSIGN(const auto file, weights::GgufFile::open(path));
  TextFiles found;
  STITCH_ASSIGN(found.tokenizer, weights::gguf_tokenizer_json(file));
  if (file.has("tokenizer.chat_template")) {
    STITCH_ASSIGN(found.chat, file.text("tokenizer.chat_template"));
  }
  return found;
}

}  // namespace

Result<TextFiles> read_text_files(const fs::path& path) {
  if (path.extension() == ".gguf") {
    return files_of_gguf(path);
  }
  std::error_code ignored;
  const fs::path tokenizer = fs::is_directory(path, ignored) ? path / kTokenizer : path;
  TextFiles files;
  STITCH_ASSIGN(files.tokenizer, read_file(tokenizer));
  files.settings = text_at(tokenizer.parent_path() / kSettings);
  files.chat = text_at(tokenizer.parent_path() / kChat);
  const Json inside = settings_of(files).value(kChatKey, Json());
  if (files.chat.empty() && inside.is_string()) {
    files.chat = inside.get<std::string>();
  }
  return files;
}

TextFiles with_chat(TextFiles files, tokens::ChatTemplate kind) {
  const auto own = tokens::chat_template_of(files.chat);
  if (!own.has_value() || *own != kind) {
    files.chat = tokens::jinja_of(kind);
  }
  return files;
}

Result<void> write_text_files(const fs::path& folder, const TextFiles& files) {
  if (files.tokenizer.empty()) {
    return {};
  }
  Json settings = settings_of(files);
  settings.erase(kChatKey);  // which has a file of its own
  if (!settings.contains("tokenizer_class")) {
    settings["tokenizer_class"] = "PreTrainedTokenizerFast";
  }
  STITCH_TRY(make_directories(folder));
  STITCH_TRY(write_file(folder / kTokenizer, files.tokenizer));
  STITCH_TRY(write_file(folder / kSettings, settings.dump(2) + "\n"));
  return files.chat.empty() ? Result<void>() : write_file(folder / kChat, files.chat);
}

}  // namespace stitch::train
