// SPDX-License-Identifier: Apache-2.0
// Text to token ids and back, as Hugging Face's tokenizers does it from the same tokenizer.json. Byte-level BPE alone:
// GPT-2, SmolLM2, Llama 3, Qwen2 and Qwen3. What is stated and not done here is refused, never passed over.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error/result.h"
#include "tokens/bpe/bpe.h"
#include "tokens/split/splitter.h"
#include "tokens/tokenizer/added_tokens.h"

namespace stitch::tokens {

struct EncodeOptions {
  bool adds_special = false;       // what tokenizer.json puts around a text, "<|begin_of_text|>"
  bool is_markup_literal = false;  // "<|im_end|>" in the text is text: for whatever a stranger wrote
};

class Tokenizer {
 public:
  // `text` is a tokenizer.json. Its truncation and padding are not looked at: lengths are the caller's. A tokenizer
  // inside a GGUF file becomes such a text by weights/gguf/gguf_tokenizer.h.
  static Result<Tokenizer> from_json(std::string_view text, const std::string& what = "tokenizer.json");
  static Result<Tokenizer> open(const std::filesystem::path& tokenizer_json);

  // Bytes that are no UTF-8 become U+FFFD first. Fails where the file's pattern takes too long on this text.
  Result<std::vector<TokenId>> encode(std::string_view text, const EncodeOptions& options = {}) const;

  // UTF-8, with U+FFFD for bytes that are none. Ids that are no token give nothing.
  std::string decode(std::span<const TokenId> ids, bool skips_special = false) const;
  // What one token stands for, which may be a part of a character; empty for what is no token.
  std::string_view bytes_of(TokenId id) const;

  std::optional<TokenId> id_of(std::string_view token) const;  // as written in tokenizer.json: "Ġthe", "<|im_end|>"
  bool is_special(TokenId id) const;
  // One more than the largest id: the least number of rows that a table of embeddings has.
  TokenId vocab_size() const { return vocab_size_; }

 private:
  friend class TokenizerReader;
  Result<void> encode_text(std::string_view text, const EncodeOptions& options, std::vector<TokenId>& ids) const;
  Result<void> encode_plain(std::string_view text, std::vector<TokenId>& ids) const;

  std::optional<Bpe> bpe_;  // always there once it is read
  Splitter splitter_;
  bool is_composed_ = false;        // normalised to form C first
  AddedTokenFinder in_text_;        // found in the text as it is
  AddedTokenFinder in_normalised_;  // found in what the normaliser makes of it
  std::map<std::string, AddedToken, std::less<>> added_;
  std::unordered_map<TokenId, bool> is_special_;  // of the added ones
  std::vector<TokenId> before_;                   // what `adds_special` adds
  std::vector<TokenId> after_;
  std::unordered_map<TokenId, std::string> bytes_;
  TokenId vocab_size_ = 0;
};

// Decodes ids one at a time: whole characters as soon as they are there. All that push() and finish() give, put
// together, is what decode() gives.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skips_special = false)
      : tokenizer_(tokenizer), skips_special_(skips_special) {}
  std::string push(TokenId id);
  std::string finish();

 private:
  const Tokenizer& tokenizer_;
  bool skips_special_;
  std::string pending_;
};

}  // namespace stitch::tokens
