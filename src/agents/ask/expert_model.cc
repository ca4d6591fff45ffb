// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/expert_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "llm/chat/actions.h"

namespace stitch::agents {
namespace {

constexpr std::string_view kName = "expert";
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

Mistake mistake_in(Role role, const Chance& chance, const Planted& planted) {
  if (chance.part >= planted.faults) {
    return Mistake::kNone;
  }
  return role == Role::kCoder ? static_cast<Mistake>(1 + chance.number % 3) : Mistake::kMalformed;
}

bool is_slow(const Question& question, const Chance& chance, const Planted& planted) {
  return question.slow_answer && chance.part >= planted.faults && chance.part < planted.faults + planted.slow;
}

template <typename T>
bool take_number(std::string_view text, T least, T most, T& into) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), into);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && into >= least && into <= most;
}

// "faults=0.3"
bool take_planted(std::string_view word, Planted& planted) {
  const size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(std::min(word.size(), equals + 1));
  return name == "faults" ? take_number(value, 0.0, 1.0, planted.faults)
         : name == "slow" ? take_number(value, 0.0, 1.0, planted.slow)
                          : name == "seed" && take_number<int64_t>(value, 0, int64_t{1} << 53, planted.seed);
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

Result<llm::Completion> ExpertModel::answer(const Question& question) {
  llm::Completion completion;
  const Chance chance =
      chance_of(planted_.seed == 0 ? question.key : fmt::format("{} {}", question.key, planted_.seed));
  const Mistake mistake = mistake_in(question.role, chance, planted_);
  completion.reply.finish = llm::Finish::kStop;
  completion.reply.content =
      is_slow(question, chance, planted_) ? question.slow_answer(chance.number) : question.expert_answer();
  if (question.request.tools.empty()) {
    completion.reply.content = with_mistake(completion.reply.content, mistake);
  } else {
    make_call(completion.reply, mistake);
  }
  size_t bytes = 0;
  for (const llm::Message& message : question.request.messages) {
    bytes += message.content.size();
  }
  completion.reply.usage = llm::estimated_usage(bytes, completion.reply);
  return completion;
}

Result<std::optional<Planted>> planted_by(const std::string& model) {
  if (!model.starts_with(kName) || (model.size() > kName.size() && model[kName.size()] != ':')) {
    return std::optional<Planted>();
  }
  Planted planted;
  std::string_view rest = std::string_view(model).substr(std::min(model.size(), kName.size() + 1));
  bool good = model.size() != kName.size() + 1;
  while (good && !rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    good = take_planted(rest.substr(0, comma), planted) && comma + 1 != rest.size();
    rest.remove_prefix(std::min(rest.size(), comma + 1));
  }
  if (!good || !(planted.faults + planted.slow <= 1)) {
    return failure(ErrorCode::kUsage, fmt::format("\"{}\" is no model", model), "",
                   "write expert, or expert:faults=0.3,slow=0.3,seed=1 with parts from 0 to 1, together at most 1");
  }
  return std::optional(planted);
}

}  // namespace stitch::agents
