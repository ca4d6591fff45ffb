// SPDX-License-Identifier: Apache-2.0
#include "weights/gguf/gguf_tokenizer.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "base/text/printable.h"

namespace stitch::weights {
namespace {

// llama.cpp's llama_token_type.
constexpr int64_t kControl = 3;
constexpr int64_t kUserDefined = 4;

// Words, digits, and the rest; of digits up to three are one word in Llama 3's, each is one in Qwen's.
constexpr const char* kLlamaPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

Json byte_level(bool uses_pattern) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", uses_pattern}};
}

Json after(const Json& first, bool uses_pattern) {
  return {{"type", "Sequence"}, {"pretokenizers", Json::array({first, byte_level(uses_pattern)})}};
}

Json split_by(const char* pattern) {
  return after({{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}},
               false);
}

Result<Json> splitter_of(const std::string& name) {
  if (name == "gpt-2" || name == "default") {
    return byte_level(true);
  }
  if (name == "smollm") {
    return after({{"type", "Digits"}, {"individual_digits", true}}, true);
  }
  if (name == "llama-bpe" || name == "llama3") {
    return split_by(kLlamaPattern);
  }
  if (name == "qwen2") {
    return split_by(kQwenPattern);
  }
  return failure(ErrorCode::kUnsupportedOperator,
                 fmt::format("its tokenizer splits text as \"{}\", which is not supported", printable_line(name, 60)),
                 "", "choose a file whose tokenizer.ggml.pre is gpt-2, smollm, llama-bpe or qwen2");
}

std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

// Member by member: Json would look each of the many keys up in those before it.
std::string vocabulary_text(const std::vector<std::string>& tokens) {
  std::string text = "{";
  for (size_t i = 0; i < tokens.size(); ++i) {
    text += fmt::format("{}{}:{}", i == 0 ? "" : ",", quoted(tokens[i]), i);
  }
  return text + "}";
}

std::string merges_text(const std::vector<std::string>& merges) {
  std::string text = "[";
  for (size_t i = 0; i < merges.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ",", quoted(merges[i]));
  }
  return text + "]";
}

Json added_tokens(const std::vector<std::string>& tokens, const std::vector<int64_t>& types) {
  Json added = Json::array();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (types[i] == kControl || types[i] == kUserDefined) {
      added.push_back({{"id", i},
                       {"content", tokens[i]},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", types[i] == kControl}});
    }
  }
  return added;
}

// Only where the file, or llama.cpp's habit for Llama 3, has one put before each text.
Result<Json> post_processor(const GgufFile& file, const std::vector<std::string>& tokens, bool is_llama) {
  const Result<bool> stated = file.boolean("tokenizer.ggml.add_bos_token");
  if (!(stated.has_value() ? *stated : is_llama)) {
    return Json();
  }
  STITCH_ASSIGN(const int64_t id, file.integer("tokenizer.ggml.bos_token_id"));
  if (id < 0 || static_cast<size_t>(id) >= tokens.size()) {
    return failure(ErrorCode::kFileInvalid, "its bos_token_id is none of its tokens");
  }
  const std::string& name = tokens[static_cast<size_t>(id)];
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json second = {{"Sequence", {{"id", "B"}, {"type_id", 1}}}};
  const Json begin = {{"SpecialToken", {{"id", name}, {"type_id", 0}}}};
  Json specials = Json::object();
  specials[name] = {{"id", name}, {"ids", Json::array({id})}, {"tokens", Json::array({name})}};
  return Json{{"type", "TemplateProcessing"},
              {"single", Json::array({begin, text})},
              {"pair", Json::array({begin, text, second})},
              {"special_tokens", specials}};
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Result<std::string> gguf_tokenizer_json(const GgufFile& file) {
  STITCH_ASSIGN(const std::string model, file.text("tokenizer.ggml.model"));
  if (model != "gpt2") {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("its tokenizer is of kind \"{}\", and only byte-level BPE (gpt2) is read",
                               printable_line(model, 60)),
                   "", "choose a model with such a tokenizer: Llama 3's, Qwen's, SmolLM's");
  }
  const Result<std::string> stated = file.text("tokenizer.ggml.pre");
  const std::string pre = stated.has_value() ? *stated : "default";
  STITCH_ASSIGN(const Json splitter, splitter_of(pre));
  STITCH_ASSIGN(const auto* tokens, file.texts("tokenizer.ggml.tokens"));
  STITCH_ASSIGN(const auto* types, file.integers("tokenizer.ggml.token_type"));
  STITCH_ASSIGN(const auto* merges, file.texts("tokenizer.ggml.merges"));
  if (types->size() != tokens->size()) {
    return failure(ErrorCode::kFileInvalid, "its lists of tokens and of their types differ in length");
  }
  const bool is_llama = pre == "llama-bpe" || pre == "llama3";
  STITCH_ASSIGN(const Json processor, post_processor(file, *tokens, is_llama));
  const Json normaliser = pre == "qwen2" ? Json{{"type", "NFC"}} : Json();
  return fmt::format(
      R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"normalizer":{},"pre_tokenizer":{},)"
      R"("post_processor":{},"decoder":{},"model":{{"type":"BPE","dropout":null,"unk_token":null,)"
      R"("continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,)"
      R"("ignore_merges":{},"vocab":{},"merges":{}}}}})",
      dumped(added_tokens(*tokens, *types)), dumped(normaliser), dumped(splitter), dumped(processor),
      dumped(byte_level(true)), is_llama, vocabulary_text(*tokens), merges_text(*merges));
}

}  // namespace stitch::weights
