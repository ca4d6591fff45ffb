// SPDX-License-Identifier: Apache-2.0
#include "tokens/train/train_tokenizer.h"

#include <fmt/format.h>

#include <set>

#include "base/json/json.h"
#include "tokens/bpe/train_bpe.h"
#include "tokens/text/unicode.h"
#include "tokens/text/utf8.h"
#include "tokens/tokenizer/added_tokens.h"

namespace stitch::tokens {
namespace {

constexpr int64_t kBytes = 256;

// A decoder's `adds_prefix_space` says nothing, and theirs is written so.
Json byte_level_json(bool adds_prefix_space) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", adds_prefix_space}, {"trim_offsets", true}, {"use_regex", true}};
}

Json splitter_json(bool splits_digits) {
  if (!splits_digits) {
    return byte_level_json(false);
  }
  const Json digits = {{"type", "Digits"}, {"individual_digits", true}};
  return {{"type", "Sequence"}, {"pretokenizers", Json::array({digits, byte_level_json(false)})}};
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Member by member: Json would look each of the many keys up in those before it.
std::string model_text(const BpeTables& tables) {
  std::string vocabulary;
  for (const auto& [token, id] : tables.vocabulary) {
    vocabulary += fmt::format("{}{}:{}", vocabulary.empty() ? "" : ",", dumped(token), id);
  }
  std::string merges;
  for (const auto& [left, right] : tables.merges) {
    merges += fmt::format("{}[{},{}]", merges.empty() ? "" : ",", dumped(left), dumped(right));
  }
  return fmt::format(
      R"({{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,)"
      R"("fuse_unk":false,"byte_fallback":false,"ignore_merges":false,"vocab":{{{}}},"merges":[{}]}})",
      vocabulary, merges);
}

}  // namespace

Result<TokenizerTrainer> TokenizerTrainer::make(TrainTokenizerOptions options) {
  std::set<std::string> names(options.special_tokens.begin(), options.special_tokens.end());
  const auto specials = static_cast<int64_t>(options.special_tokens.size());
  if (names.size() != options.special_tokens.size() || names.contains("")) {
    return failure(ErrorCode::kUsage, "a special token is empty or given twice", "", "give each of them once");
  }
  if (options.vocab_size < kBytes + specials) {
    return failure(ErrorCode::kUsage,
                   fmt::format("a vocabulary of {} has no room for {} bytes and {} special tokens", options.vocab_size,
                               kBytes, specials),
                   "", "choose a larger one");
  }
  TokenizerTrainer trainer(std::move(options));
  STITCH_ASSIGN(trainer.splitter_, Splitter::from_json(splitter_json(trainer.options_.splits_digits)));
  return trainer;
}

Result<void> TokenizerTrainer::add(std::string_view text) {
  std::string good = repaired(text);
  if (options_.is_composed) {
    STITCH_ASSIGN(good, composed(good));
  }
  STITCH_ASSIGN(const std::vector<std::string> words, splitter_.split(good));
  for (const std::string& word : words) {
    ++words_[word];
  }
  return {};
}

std::string TokenizerTrainer::tokenizer_json() const {
  const BpeTables tables = train_bpe(words_, {options_.vocab_size, options_.min_count, options_.special_tokens});
  Json added = Json::array();
  for (size_t i = 0; i < options_.special_tokens.size(); ++i) {
    added.push_back(to_json(AddedToken{options_.special_tokens[i], static_cast<TokenId>(i), true}));
  }
  const Json normaliser = options_.is_composed ? Json{{"type", "NFC"}} : Json();
  return fmt::format(
      R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"normalizer":{},"pre_tokenizer":{},)"
      R"("post_processor":null,"decoder":{},"model":{}}})",
      dumped(added), dumped(normaliser), dumped(splitter_json(options_.splits_digits)), dumped(byte_level_json(true)),
      model_text(tables));
}

}  // namespace stitch::tokens
