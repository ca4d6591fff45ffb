// SPDX-License-Identifier: Apache-2.0
#include "tokens/tokenizer/tokenizer.h"

#include <utility>

#include "tokens/text/unicode.h"
#include "tokens/text/utf8.h"

namespace stitch::tokens {

Result<std::vector<TokenId>> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  std::vector<TokenId> ids;
  if (options.adds_special) {
    ids = before_;
  }
  const std::string good = repaired(text);
  for (const Stretch& stretch : in_text_.split(good, options.is_markup_literal)) {
    if (stretch.id.has_value()) {
      ids.push_back(*stretch.id);
    } else {
      STITCH_TRY(encode_text(stretch.text, options, ids));
    }
  }
  if (options.adds_special) {
    ids.insert(ids.end(), after_.begin(), after_.end());
  }
  return ids;
}

Result<void> Tokenizer::encode_text(std::string_view text, const EncodeOptions& options,
                                    std::vector<TokenId>& ids) const {
  std::string normalised(text);
  if (is_composed_) {
    STITCH_ASSIGN(normalised, composed(text));
  }
  for (const Stretch& stretch : in_normalised_.split(normalised, options.is_markup_literal)) {
    if (stretch.id.has_value()) {
      ids.push_back(*stretch.id);
    } else {
      STITCH_TRY(encode_plain(stretch.text, ids));
    }
  }
  return {};
}

Result<void> Tokenizer::encode_plain(std::string_view text, std::vector<TokenId>& ids) const {
  STITCH_ASSIGN(const std::vector<std::string> words, splitter_.split(text));
  for (const std::string& word : words) {
    bpe_->encode_word(word, ids);
  }
  return {};
}

std::string_view Tokenizer::bytes_of(TokenId id) const {
  const auto found = bytes_.find(id);
  return found == bytes_.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<TokenId> Tokenizer::id_of(std::string_view token) const {
  const auto found = added_.find(token);
  return found == added_.end() ? bpe_->id_of(token) : std::optional(found->second.id);
}

bool Tokenizer::is_special(TokenId id) const {
  const auto found = is_special_.find(id);
  return found != is_special_.end() && found->second;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skips_special) const {
  std::string bytes;
  for (const TokenId id : ids) {
    if (!skips_special || !is_special(id)) {
      bytes += bytes_of(id);
    }
  }
  return repaired(bytes);
}

std::string StreamDecoder::push(TokenId id) {
  if (!skips_special_ || !tokenizer_.is_special(id)) {
    pending_ += tokenizer_.bytes_of(id);
  }
  const size_t whole = pending_.size() - incomplete_tail(pending_);
  std::string text = repaired(std::string_view(pending_).substr(0, whole));
  pending_.erase(0, whole);
  return text;
}

std::string StreamDecoder::finish() { return repaired(std::exchange(pending_, {})); }

}  // namespace stitch::tokens
