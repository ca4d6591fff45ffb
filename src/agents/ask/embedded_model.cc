// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/embedded_model.h"

#include <fmt/format.h>

#include <charconv>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "llm/chat/actions.h"

namespace stitch::agents {
namespace {

constexpr std::string_view kName = "expert";
constexpr std::string_view kFaults = "expert:faults=";
constexpr std::string_view kStepBegins = "cudaStream_t stream) {\n";

// Of a hash written in hexadecimal digits: a number in [0, 1) and one below `count`.
struct Chance {
  double part = 0;
  uint32_t number = 0;
};
Chance chance_of(const std::string& key) {
  const std::string digits = sha256_hex(key);
  Chance chance;
  uint32_t first = 0;
  std::from_chars(digits.data(), digits.data() + 8, first, 16);
  std::from_chars(digits.data() + 8, digits.data() + 14, chance.number, 16);
  chance.part = first * 0x1p-32;
  return chance;
}

std::string with_line_at_step(std::string answer, const std::string& line) {
  const size_t found = answer.rfind(kStepBegins);
  return found == std::string::npos ? answer : answer.insert(found + kStepBegins.size(), line);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t found = text.find(from);
  return found == std::string::npos ? text : text.replace(found, from.size(), to);
}

// The answer's one action as a call. A mistake is in the code that it writes; a call without code is cut in two.
void make_call(llm::ChatReply& reply, Mistake mistake) {
  std::string whole = reply.content;
  llm::take_action(reply);
  if (reply.calls.empty() || mistake == Mistake::kNone) {
    return;
  }
  llm::ToolCall& call = reply.calls.front();
  Result<Json> arguments = parse_json(call.arguments, "a call");
  if (mistake == Mistake::kMalformed || !arguments.has_value() || !arguments->contains("content")) {
    reply.calls.clear();
    reply.content = with_mistake(whole, Mistake::kMalformed);
    reply.finish = llm::Finish::kStop;
    return;
  }
  (*arguments)["content"] = with_mistake(arguments->value("content", ""), mistake);
  call.arguments = arguments->dump();
}

}  // namespace

std::string fenced(const std::string& text) {
  return "```cuda\n" + text + (text.ends_with('\n') ? "" : "\n") + "```\n";
}

std::string with_mistake(const std::string& answer, Mistake mistake) {
  switch (mistake) {
    case Mistake::kNone:
      return answer;
    case Mistake::kDoesNotCompile:
      if (const std::string spoilt = replaced(answer, "\"graph\"", "\"graphs\""); spoilt != answer) {
        return spoilt;  // of the host's choices
      }
      return with_line_at_step(answer, "  const int forgotten = not_declared;\n");
    case Mistake::kWrong:
      if (const std::string spoilt = replaced(answer, "\"order\": [", "\"order\": [\"nothing\", "); spoilt != answer) {
        return spoilt;
      }
      return with_line_at_step(answer, "  if (args != nullptr) {\n    return 0;\n  }\n");
    case Mistake::kMalformed:
      return answer.substr(0, answer.size() / 2);
  }
  return answer;
}

Mistake EmbeddedModel::mistake_in(const Question& question) const {
  const Chance chance = chance_of(question.key);
  if (chance.part >= faults_) {
    return Mistake::kNone;
  }
  return question.role == Role::kCoder ? static_cast<Mistake>(1 + chance.number % 3) : Mistake::kMalformed;
}

Result<llm::Completion> EmbeddedModel::answer(const Question& question) {
  llm::Completion completion;
  const Mistake mistake = mistake_in(question);
  completion.reply.finish = llm::Finish::kStop;
  if (question.request.tools.empty()) {
    completion.reply.content = with_mistake(question.expert_answer(), mistake);
  } else {
    completion.reply.content = question.expert_answer();
    make_call(completion.reply, mistake);
  }
  size_t bytes = 0;
  for (const llm::Message& message : question.request.messages) {
    bytes += message.content.size();
  }
  completion.reply.usage = llm::estimated_usage(bytes, completion.reply);
  return completion;
}

Result<std::optional<double>> embedded_faults(const std::string& model) {
  if (model == kName) {
    return std::optional(0.0);
  }
  if (!model.starts_with(kName) || (model.size() > kName.size() && model[kName.size()] != ':')) {
    return std::optional<double>();
  }
  double faults = -1;
  const char* end = model.data() + model.size();
  const bool is_named = model.starts_with(kFaults);
  const auto read = is_named ? std::from_chars(model.data() + kFaults.size(), end, faults) : std::from_chars_result{};
  if (!is_named || read.ec != std::errc() || read.ptr != end || !(faults >= 0 && faults <= 1)) {
    return failure(ErrorCode::kUsage, fmt::format("\"{}\" is no model", model), "",
                   "write expert, or expert:faults=0.3 with a part from 0 to 1");
  }
  return std::optional(faults);
}

}  // namespace stitch::agents
