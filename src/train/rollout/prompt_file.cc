// SPDX-License-Identifier: Apache-2.0
#include "train/rollout/prompt_file.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/text/filled_lines.h"

namespace stitch::train {
namespace {

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string key_of(const std::string& task, const std::vector<int64_t>& ids) {
  constexpr size_t kDigits = 16;
  return sha256_hex(dumped(Json{task, ids})).substr(0, kDigits);
}

std::optional<rewards::Skill> skill_of(const Json& line) {
  const Json word = line.value("skill", Json("scratch"));
  for (const rewards::Skill skill : {rewards::Skill::kScratch, rewards::Skill::kRefinement}) {
    if (word == to_string(skill)) {
      return skill;
    }
  }
  return std::nullopt;
}

std::string digest_in(const Json& context, const char* key) {
  const Json found = context.is_object() ? context.value(key, Json()) : Json();
  return found.is_string() ? found.get<std::string>() : std::string();
}

// The lines of one file.
class PromptLines {
 public:
  PromptLines(const LessonReader& reader, int64_t vocab, int64_t max_tokens)
      : reader_(reader), vocab_(vocab), max_tokens_(max_tokens) {}

  Result<void> take(const Json& line, PromptFile& file) {
    if (!line.is_object()) {
      return failure(ErrorCode::kFileInvalid, "the prompt is no object");
    }
    Prompt prompt;
    STITCH_ASSIGN(prompt.task, json_string(line, "task"));
    const auto skill = skill_of(line);
    if (!skill.has_value()) {
      return failure(ErrorCode::kFileInvalid, "skill is neither scratch nor refinement");
    }
    prompt.skill = *skill;
    const Json messages = line.value("messages", Json());
    if (messages.is_array() && has_tools(messages)) {
      ++file.left_out.with_tools;
      return {};
    }
    STITCH_ASSIGN(prompt.ids, ids_of(line, messages));
    if (static_cast<int64_t>(prompt.ids.size()) > max_tokens_) {
      ++file.left_out.too_long;
      return {};
    }
    prompt.key = key_of(prompt.task, prompt.ids);
    prompt.messages = messages.is_array() ? dumped(messages) : "";
    if (!seen_.insert(prompt.key).second) {
      ++file.left_out.same;
      return {};
    }
    const Json context = line.value("context", Json());
    prompt.previous_sha256 = digest_in(context, "previous_sha256");
    prompt.feedback_sha256 = digest_in(context, "feedback_sha256");
    file.prompts.push_back(std::move(prompt));
    return {};
  }

 private:
  Result<std::vector<int64_t>> ids_of(const Json& line, const Json& messages) const {
    if (messages.is_array()) {
      return reader_.prompt_of(messages);
    }
    if (!line.contains("prompt_ids")) {
      return failure(ErrorCode::kFileInvalid, "the prompt has neither messages nor prompt_ids");
    }
    STITCH_ASSIGN(auto ids, json_int_list(line, "prompt_ids"));
    const bool fits = !ids.empty() && std::all_of(ids.begin(), ids.end(),
                                                  [this](int64_t token) { return token >= 0 && token < vocab_; });
    if (!fits) {
      return failure(ErrorCode::kFileInvalid,
                     "prompt_ids is empty, or has a token outside of a vocabulary of " + std::to_string(vocab_));
    }
    return ids;
  }

  const LessonReader& reader_;
  int64_t vocab_, max_tokens_;
  std::set<std::string> seen_{};
};

}  // namespace

Json to_json(const PromptFile& file) {
  return {
      {"prompts", file.prompts.size()},
      {"left_out",
       {{"with_tools", file.left_out.with_tools}, {"too_long", file.left_out.too_long}, {"same", file.left_out.same}}}};
}

void read_prompt_settings(Section& parent, PromptSettings& settings) {
  constexpr int64_t kMaxTokens = int64_t{1} << 24;
  parent.require("prompts");
  Section section = parent.child("prompts");
  section.require("train");
  section.read("train", settings.train);
  section.read("held_out", settings.held_out);
  section.require("tokenizer");
  std::string tokenizer;
  section.read("tokenizer", tokenizer);
  settings.source.tokenizer = tokenizer;
  auto chat = static_cast<size_t>(settings.source.chat);
  section.read("template", chat, {"chatml", "smollm2", "qwen3"});  // in the order of tokens::ChatTemplate
  settings.source.chat = static_cast<tokens::ChatTemplate>(chat);
  section.read("max_tokens", settings.max_tokens, 1, kMaxTokens);
  parent.add(std::move(section));
}

Result<PromptFile> read_prompt_file(const LessonReader& reader, const std::filesystem::path& path, int64_t vocab,
                                    int64_t max_tokens) {
  STITCH_ASSIGN(const std::string text, read_file(path));
  PromptFile file{.prompts = {}, .sha256 = sha256_hex(text), .left_out = {}};
  PromptLines lines(reader, vocab, max_tokens);
  STITCH_TRY(for_each_filled_line(text, [&](std::string_view line, int64_t number) -> Result<void> {
    const std::string where = path.string() + ":" + std::to_string(number);
    STITCH_ASSIGN(const Json json, parse_json(std::string(line), where));
    const auto taken = lines.take(json, file);
    return taken.has_value()
               ? Result<void>()
               : failure(ErrorCode::kFileInvalid, taken.error().message, where, "change or remove this line");
  }));
  if (file.prompts.empty()) {
    return failure(ErrorCode::kFileInvalid,
                   "the file has no prompt: " + std::to_string(file.left_out.with_tools) + " have tools, " +
                       std::to_string(file.left_out.too_long) + " are longer than " + std::to_string(max_tokens) +
                       " tokens",
                   path.string(), "name a file that has, or raise 'prompts.max_tokens'");
  }
  return file;
}

}  // namespace stitch::train
