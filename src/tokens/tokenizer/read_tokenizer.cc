// SPDX-License-Identifier: Apache-2.0
// tokenizer.json, read.
#include <fmt/format.h>

#include <algorithm>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/large_json.h"
#include "base/text/printable.h"
#include "tokens/text/byte_alphabet.h"
#include "tokens/text/unicode.h"
#include "tokens/tokenizer/tokenizer.h"

namespace stitch::tokens {
namespace {

constexpr size_t kMaxShownName = 60;

Unexpected beyond_tokens(const std::string& what) {
  return failure(ErrorCode::kUnsupportedOperator, what, "",
                 "choose a byte-level tokenizer: GPT-2's, Llama 3's, Qwen's, SmolLM's");
}
Unexpected bad_tokens(const std::string& why) { return failure(ErrorCode::kFileInvalid, why); }

bool is_given(const Json& json, const char* key) { return json.contains(key) && !json[key].is_null(); }

// "a b", or ["a", "b"] of newer files, in which a token may hold a space.
Result<std::pair<std::string, std::string>> merge_of(const Json& json, size_t rank) {
  if (json.is_string()) {
    const std::string both = json.get<std::string>();
    const size_t space = both.find(' ');
    if (space != std::string::npos && both.find(' ', space + 1) == std::string::npos) {
      return std::pair(both.substr(0, space), both.substr(space + 1));
    }
  } else if (json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_string()) {
    return std::pair(json[0].get<std::string>(), json[1].get<std::string>());
  }
  return bad_tokens(fmt::format("merge {} is not a pair of tokens", rank));
}

// Settings of other kinds of BPE, which change ids.
Result<void> refuse_other_models(const Json& model) {
  const std::string type =
      is_given(model, "type") && model["type"].is_string() ? model["type"].get<std::string>() : "BPE";
  if (type != "BPE") {
    return beyond_tokens(fmt::format("a model of type \"{}\" is not supported", printable_line(type, kMaxShownName)));
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (is_given(model, key) && model[key] != "") {
      return beyond_tokens(fmt::format("a model with a {} is not supported", key));
    }
  }
  if (is_given(model, "dropout") && model["dropout"] != 0) {
    return beyond_tokens("a model with dropout of merges is not supported");
  }
  if (is_given(model, "byte_fallback") && model["byte_fallback"] != false) {
    return beyond_tokens("a model with byte_fallback is not supported");
  }
  return {};
}

Result<bool> flag_of(const Json& model, const char* key) {
  return is_given(model, key) ? json_bool(model, key) : Result<bool>(false);
}

Result<bool> is_composing(const Json& normaliser) {
  STITCH_ASSIGN(const std::string kind, json_string(normaliser, "type"));
  if (kind == "NFC") {
    return true;
  }
  if (kind != "Sequence") {
    return beyond_tokens(
        fmt::format("a normalizer of type \"{}\" is not supported", printable_line(kind, kMaxShownName)));
  }
  STITCH_ASSIGN(const Json* list, json_array(normaliser, "normalizers"));
  for (const Json& each : *list) {
    if (!each.is_object() || !each.contains("type") || each["type"] != "NFC") {
      return beyond_tokens("a Sequence of normalizers other than NFC is not supported");
    }
  }
  return !list->empty();
}

}  // namespace

class TokenizerReader {
 public:
  // The vocabulary comes one token at a time, the rest afterwards.
  Result<void> take_token(const std::string& token, const Json& id) {
    if (!id.is_number_integer()) {
      return bad_tokens(fmt::format("token \"{}\" has no number", printable_line(token, kMaxShownName)));
    }
    tables_.vocabulary.emplace_back(token, id.get<int64_t>());
    return {};
  }

  Result<Tokenizer> finish(const Json& json) && {
    STITCH_ASSIGN(const Json* model, json_object(json, "model"));
    STITCH_TRY(take_model(*model));
    if (is_given(json, "normalizer")) {
      STITCH_ASSIGN(result_.is_composed_, is_composing(json["normalizer"]));
    }
    STITCH_ASSIGN(const Json* splitter, json_object(json, "pre_tokenizer"));
    STITCH_ASSIGN(result_.splitter_, Splitter::from_json(*splitter));
    STITCH_ASSIGN(const Json* decoder, json_object(json, "decoder"));
    if (!decoder->contains("type") || (*decoder)["type"] != "ByteLevel") {
      return beyond_tokens("a decoder other than ByteLevel is not supported");
    }
    take_bytes();
    if (is_given(json, "added_tokens")) {
      STITCH_TRY(take_added(json));
    }
    if (is_given(json, "post_processor")) {
      STITCH_TRY(take_post_processor(json["post_processor"]));
    }
    return std::move(result_);
  }

 private:
  Result<void> take_model(const Json& model) {
    STITCH_TRY(refuse_other_models(model));
    if (is_given(model, "unk_token")) {
      STITCH_ASSIGN(tables_.unknown, json_string(model, "unk_token"));
    }
    STITCH_ASSIGN(tables_.fuses_unknown, flag_of(model, "fuse_unk"));
    STITCH_ASSIGN(tables_.ignores_merges, flag_of(model, "ignore_merges"));
    STITCH_ASSIGN(const Json* merges, json_array(model, "merges"));
    for (const Json& each : *merges) {
      STITCH_ASSIGN(auto merge, merge_of(each, tables_.merges.size()));
      tables_.merges.push_back(std::move(merge));
    }
    STITCH_ASSIGN(result_.bpe_, Bpe::make(std::move(tables_)));
    return {};
  }

  void take_bytes() {
    for (const auto& [token, id] : result_.bpe_->tables().vocabulary) {
      result_.bytes_.emplace(id, bytes_of_letters(token).value_or(token));
      result_.vocab_size_ = std::max(result_.vocab_size_, id + 1);
    }
  }

  Result<void> take_added(const Json& json) {
    STITCH_ASSIGN(const Json* list, json_array(json, "added_tokens"));
    for (const Json& each : *list) {
      STITCH_ASSIGN(const AddedToken token, added_token_from_json(each));
      const std::optional<TokenId> known = result_.bpe_->id_of(token.content);
      const bool is_taken = !known.has_value() && result_.bytes_.contains(token.id);
      if ((known.has_value() && *known != token.id) || is_taken || token.id < 0 || token.id > INT32_MAX) {
        return bad_tokens(fmt::format("added token \"{}\" has the id {}, which its vocabulary gives to another",
                                      printable_line(token.content, kMaxShownName), token.id));
      }
      std::string spelling = token.content;
      if (token.is_normalised && result_.is_composed_) {
        STITCH_ASSIGN(spelling, composed(token.content));
      }
      (token.is_normalised ? result_.in_normalised_ : result_.in_text_).add(spelling, token);
      result_.added_.emplace(token.content, token);
      result_.is_special_[token.id] = token.is_special;
      result_.bytes_[token.id] = bytes_of_letters(spelling).value_or(spelling);
      result_.vocab_size_ = std::max(result_.vocab_size_, token.id + 1);
    }
    return {};
  }

  Result<void> take_post_processor(const Json& json) {
    STITCH_ASSIGN(const std::string kind, json_string(json, "type"));
    if (kind == "ByteLevel") {  // moves offsets alone
      return {};
    }
    if (kind == "TemplateProcessing") {
      return take_template(json);
    }
    if (kind != "Sequence") {
      return beyond_tokens(
          fmt::format("a post_processor of type \"{}\" is not supported", printable_line(kind, kMaxShownName)));
    }
    STITCH_ASSIGN(const Json* list, json_array(json, "processors"));
    for (const Json& each : *list) {
      STITCH_TRY(take_post_processor(each));
    }
    return {};
  }

  // What stands before and after the one sequence "A" of the template for single texts.
  Result<void> take_template(const Json& json) {
    STITCH_ASSIGN(const Json* single, json_array(json, "single"));
    STITCH_ASSIGN(const Json* specials, json_object(json, "special_tokens"));
    int sequences = 0;
    std::vector<TokenId> before;
    std::vector<TokenId> after;
    for (const Json& each : *single) {
      if (each.is_object() && each.contains("Sequence")) {
        ++sequences;
        continue;
      }
      STITCH_ASSIGN(const Json* piece, json_object(each, "SpecialToken"));
      STITCH_ASSIGN(const std::string name, json_string(*piece, "id"));
      STITCH_ASSIGN(const Json* entry, json_object(*specials, name.c_str()));
      STITCH_ASSIGN(const std::vector<int64_t> ids, json_int_list(*entry, "ids"));
      std::vector<TokenId>& side = sequences == 0 ? before : after;
      side.insert(side.end(), ids.begin(), ids.end());
    }
    if (sequences != 1) {
      return beyond_tokens("a template that does not hold the text once is not supported");
    }
    // Templates of a Sequence stand around one another.
    result_.before_.insert(result_.before_.begin(), before.begin(), before.end());
    result_.after_.insert(result_.after_.end(), after.begin(), after.end());
    return {};
  }

  BpeTables tables_;
  Tokenizer result_;
};

Result<Tokenizer> Tokenizer::from_json(std::string_view text, const std::string& what) {
  TokenizerReader reader;
  const LargeObject vocabulary{"model.vocab",
                               [&](const std::string& token, const Json& id) { return reader.take_token(token, id); }};
  Result<Json> json = parse_large_json(text, what, std::span(&vocabulary, 1));
  Result<Tokenizer> tokenizer = json.has_value() ? std::move(reader).finish(*json) : failure(json.error());
  if (!tokenizer.has_value() && json.has_value()) {
    return located(Result<Tokenizer>(failure(with_context(tokenizer.error(), what))), what,
                   "correct the file, or download it again");
  }
  return located(std::move(tokenizer), what, "download the file again");
}

Result<Tokenizer> Tokenizer::open(const std::filesystem::path& tokenizer_json) {
  STITCH_ASSIGN(const std::string text, read_file(tokenizer_json));
  return from_json(text, tokenizer_json.string());
}

}  // namespace stitch::tokens
