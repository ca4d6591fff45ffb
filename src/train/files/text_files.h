// SPDX-License-Identifier: Apache-2.0
// What lies beside a model's weights so that its tokens are text: its tokenizer and its chat template.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.h"
#include "tokens/chat/chat.h"

namespace stitch::train {

struct TextFiles {
  std::string tokenizer{};  // tokenizer.json; empty: there is none
  std::string settings{};   // tokenizer_config.json; empty: there is none
  std::string chat{};       // Jinja, of chat_template.jinja or a member of the settings; empty: there is none
};

// Those of a folder as transformers writes it, those beside a tokenizer.json, or what a GGUF file holds.
Result<TextFiles> read_text_files(const std::filesystem::path& path);

// With a template of that kind: its own where it is, else the plain text of it; none for Qwen3's.
TextFiles with_chat(TextFiles files, tokens::ChatTemplate kind);

// Into a folder, which is made; nothing where there is no tokenizer.
Result<void> write_text_files(const std::filesystem::path& folder, const TextFiles& files);

}  // namespace stitch::train
