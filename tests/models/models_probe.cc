// SPDX-License-Identifier: Apache-2.0
// One request a line, as JSON, and one answer a line: {"value": ...} or {"error": message, "code": name}. Bytes that
// are no text go through files. For tests/models alone.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/fs/files.h"
#include "base/guard/guarded.h"
#include "base/json/json.h"
#include "tokens/chat/chat.h"
#include "tokens/chat/chat_jinja.h"
#include "tokens/tokenizer/tokenizer.h"
#include "tokens/train/train_tokenizer.h"
#include "weights/adapter/adapter.h"
#include "weights/checkpoint/checkpoint.h"
#include "weights/checkpoint/sharded.h"
#include "weights/gguf/gguf_tokenizer.h"
#include "weights/quantised/to_float.h"
#include "weights/safetensors/write_safetensors.h"

namespace stitch {
namespace {

using tokens::TokenId;

std::string_view as_text(std::span<const float> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

Json tensors_json(const std::vector<weights::TensorView>& tensors) {
  Json list = Json::array();
  for (const weights::TensorView& tensor : tensors) {
    list.push_back({{"name", tensor.name},
                    {"dtype", to_string(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"bytes", tensor.bytes.size()}});
  }
  return list;
}

Result<Json> read_safetensors(const Json& asked) {
  STITCH_ASSIGN(const auto file, weights::SafetensorsFile::open(asked.at("path").get<std::string>()));
  return Json{{"tensors", tensors_json(file.tensors())}, {"metadata", file.metadata()}};
}

// Reads one file and writes the same tensors to another, or to shards in a folder.
Result<Json> rewrite_safetensors(const Json& asked) {
  STITCH_ASSIGN(const auto file, weights::SafetensorsFile::open(asked.at("path").get<std::string>()));
  const std::string to = asked.at("to").get<std::string>();
  if (asked.contains("max_shard_bytes")) {
    STITCH_TRY(weights::write_sharded(to, file.tensors(), asked.at("max_shard_bytes").get<int64_t>(), file.metadata()));
  } else {
    STITCH_TRY(weights::write_safetensors(to, file.tensors(), file.metadata()));
  }
  return Json(true);
}

Result<Json> open_sharded(const Json& asked) {
  STITCH_ASSIGN(const auto files, weights::open_sharded(asked.at("path").get<std::string>()));
  Json list = Json::array();
  for (const auto& file : files) {
    list.push_back(tensors_json(file.tensors()));
  }
  return list;
}

Result<Json> model_config(const Json& asked) {
  STITCH_ASSIGN(const auto config, weights::read_model_config(asked.at("path").get<std::string>()));
  return to_json(config);
}

Result<Json> adapter_config(const Json& asked) {
  STITCH_ASSIGN(const auto config, weights::read_adapter_config(asked.at("path").get<std::string>()));
  Json json = to_json(config);
  json["scale"] = config.scale();
  return json;
}

Result<Json> adapter_name(const Json& asked) {
  const auto name = weights::from_peft_name(asked.at("name").get<std::string>());
  if (!name.has_value()) {
    return Json();
  }
  return Json{{"layer", name->layer}, {"is_b", name->is_b}, {"name", peft_name(*name)}};
}

// Reads an adapter, and writes it to another folder.
Result<Json> rewrite_adapter(const Json& asked) {
  STITCH_ASSIGN(const auto adapter, weights::Adapter::open(asked.at("path").get<std::string>()));
  STITCH_TRY(weights::write_adapter(asked.at("to").get<std::string>(), adapter.config(), adapter.layers()));
  Json names = Json::array();
  for (const auto& layer : adapter.layers()) {
    names.push_back(layer.layer);
  }
  return names;
}

Result<Json> read_gguf(const Json& asked) {
  STITCH_ASSIGN(const auto file, weights::GgufFile::open(asked.at("path").get<std::string>()));
  Json values = Json::object();
  for (const auto& [key, value] : file.values()) {
    std::visit([&, &name = key](const auto& each) { values[name] = each; }, value);
  }
  return Json{{"tensors", tensors_json(file.tensors())}, {"values", std::move(values)}};
}

Result<Json> open_checkpoint(const Json& asked) {
  STITCH_ASSIGN(const auto checkpoint, weights::Checkpoint::open(asked.at("path").get<std::string>()));
  Json list = Json::object();
  for (const auto& tensor : checkpoint.tensors()) {
    list[tensor.name] = tensor.shape;
  }
  return Json{{"config", to_json(checkpoint.config())}, {"tensors", std::move(list)}};
}

// Some rows of a tensor, as floats in a file.
Result<Json> read_rows(const Json& asked) {
  STITCH_ASSIGN(const auto checkpoint, weights::Checkpoint::open(asked.at("path").get<std::string>()));
  const std::string name = asked.at("name").get<std::string>();
  const auto* tensor = checkpoint.find(name);
  const int64_t rows = asked.at("rows").get<int64_t>();
  int64_t width = 1;
  for (size_t i = 1; tensor != nullptr && i < tensor->shape.size(); ++i) {
    width *= tensor->shape[i];
  }
  std::vector<float> out(static_cast<size_t>(rows * width));
  STITCH_TRY(checkpoint.read_rows(name, asked.at("first").get<int64_t>(), rows, out));
  STITCH_TRY(write_file(asked.at("to").get<std::string>(), as_text(out)));
  return Json(true);
}

// What tokenizer a path names: a tokenizer.json, or a GGUF file.
Result<tokens::Tokenizer> tokenizer_at(const std::string& path) {
  if (!path.ends_with(".gguf")) {
    return tokens::Tokenizer::open(path);
  }
  STITCH_ASSIGN(const auto file, weights::GgufFile::open(path));
  STITCH_ASSIGN(const std::string text, weights::gguf_tokenizer_json(file));
  return tokens::Tokenizer::from_json(text, path);
}

class Probe {
 public:
  Result<Json> answer(const Json& asked) {
    const std::map<std::string, Result<Json> (*)(const Json&)> kPlain = {
        {"read_safetensors", read_safetensors}, {"rewrite_safetensors", rewrite_safetensors},
        {"open_sharded", open_sharded},         {"model_config", model_config},
        {"adapter_config", adapter_config},     {"adapter_name", adapter_name},
        {"rewrite_adapter", rewrite_adapter},   {"read_gguf", read_gguf},
        {"open_checkpoint", open_checkpoint},   {"read_rows", read_rows},
        {"gguf_tokenizer", gguf_tokenizer},     {"train", train},
        {"chat_template", chat_template},       {"chat_jinja", chat_jinja}};
    const std::string what = asked.at("do").get<std::string>();
    if (const auto plain = kPlain.find(what); plain != kPlain.end()) {
      return plain->second(asked);
    }
    if (what == "open_tokenizer") {
      STITCH_ASSIGN(tokenizer_, tokenizer_at(asked.at("path").get<std::string>()));
      return Json(tokenizer_->vocab_size());
    }
    STITCH_CHECK(tokenizer_.has_value()) << "no tokenizer is open";
    return what == "encode" ? encode(asked) : what == "chat" ? chat(asked) : decode(asked);
  }

 private:
  static Result<Json> gguf_tokenizer(const Json& asked) {
    STITCH_ASSIGN(const auto file, weights::GgufFile::open(asked.at("path").get<std::string>()));
    STITCH_ASSIGN(const std::string text, weights::gguf_tokenizer_json(file));
    STITCH_TRY(write_file(asked.at("to").get<std::string>(), text));
    return Json(true);
  }

  static Result<Json> train(const Json& asked) {
    tokens::TrainTokenizerOptions options;
    options.vocab_size = asked.at("vocab_size").get<int64_t>();
    options.min_count = asked.at("min_count").get<int64_t>();
    options.is_composed = asked.at("is_composed").get<bool>();
    options.splits_digits = asked.at("splits_digits").get<bool>();
    options.special_tokens = asked.at("special_tokens").get<std::vector<std::string>>();
    STITCH_ASSIGN(auto trainer, tokens::TokenizerTrainer::make(options));
    for (const Json& text : asked.at("texts")) {
      STITCH_TRY(trainer.add(text.get<std::string>()));
    }
    STITCH_TRY(write_file(asked.at("to").get<std::string>(), trainer.tokenizer_json()));
    return Json(true);
  }

  static Result<Json> chat_template(const Json& asked) {
    STITCH_ASSIGN(const auto kind, tokens::chat_template_of(asked.at("jinja").get<std::string>()));
    return Json(static_cast<int>(kind));
  }

  static Result<Json> chat_jinja(const Json& asked) {
    return Json(tokens::jinja_of(static_cast<tokens::ChatTemplate>(asked.at("kind").get<int>())));
  }

  Result<Json> encode(const Json& asked) const {
    const tokens::EncodeOptions options{asked.value("adds_special", false), asked.value("is_markup_literal", false)};
    Json all = Json::array();
    for (const Json& text : asked.at("texts")) {
      STITCH_ASSIGN(const std::vector<TokenId> ids, tokenizer_->encode(text.get<std::string>(), options));
      all.push_back(ids);
    }
    return all;
  }

  // Each list of ids at once, and token by token.
  Result<Json> decode(const Json& asked) const {
    const bool skips_special = asked.value("skips_special", false);
    Json all = Json::array();
    for (const Json& list : asked.at("ids")) {
      const auto ids = list.get<std::vector<TokenId>>();
      tokens::StreamDecoder stream(*tokenizer_, skips_special);
      std::string streamed;
      for (const TokenId id : ids) {
        streamed += stream.push(id);
      }
      all.push_back({tokenizer_->decode(ids, skips_special), streamed + stream.finish()});
    }
    return all;
  }

  Result<Json> chat(const Json& asked) const {
    tokens::Conversation conversation;
    for (const Json& each : asked.at("messages")) {
      const std::map<std::string, tokens::Role> kRoles = {{"system", tokens::Role::kSystem},
                                                          {"user", tokens::Role::kUser},
                                                          {"assistant", tokens::Role::kAssistant},
                                                          {"tool", tokens::Role::kTool}};
      tokens::ChatMessage message{kRoles.at(each.at("role")), each.at("content"), std::nullopt, {}};
      if (each.contains("reasoning_content")) {
        message.thoughts = each.at("reasoning_content").get<std::string>();
      }
      for (const Json& call : each.value("tool_calls", Json::array())) {
        message.calls.push_back({call.at("name"), call.at("arguments").dump()});
      }
      conversation.messages.push_back(std::move(message));
    }
    for (const Json& tool : asked.value("tools", Json::array())) {
      conversation.tools.push_back(tool.dump());
    }
    conversation.asks_for_answer = asked.value("asks_for_answer", true);
    conversation.thinks = asked.value("thinks", true);
    const auto kind = static_cast<tokens::ChatTemplate>(asked.at("kind").get<int>());
    STITCH_ASSIGN(const auto pieces, tokens::chat_pieces(kind, conversation));
    STITCH_ASSIGN(const std::vector<TokenId> ids, tokens::encode_chat(*tokenizer_, pieces));
    return Json{{"text", text_of(pieces)}, {"ids", ids}};
  }

  std::optional<tokens::Tokenizer> tokenizer_;
};

Json answer_json(Probe& probe, const std::string& line) {
  const auto asked = parse_json(line, "the request");
  if (!asked.has_value()) {
    return {{"error", asked.error().message}, {"code", to_string(asked.error().code)}};
  }
  const Result<Result<Json>> guarded_answer =
      guarded([&] { return probe.answer(*asked); }, ErrorCode::kInternal, "the request is none");
  const Result<Json> answer = guarded_answer.has_value() ? *guarded_answer : failure(guarded_answer.error());
  if (!answer.has_value()) {
    return {{"error", answer.error().message}, {"code", to_string(answer.error().code)}};
  }
  return {{"value", *answer}};
}

}  // namespace
}  // namespace stitch

int main() {
  stitch::Probe probe;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << stitch::answer_json(probe, line).dump(-1, ' ', false, stitch::Json::error_handler_t::replace) << "\n"
              << std::flush;
  }
}
