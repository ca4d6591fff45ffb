// SPDX-License-Identifier: Apache-2.0
#include "llm/probe/probe.h"

#include <array>

#include "base/json/json.h"
#include "llm/chat/write_request.h"

namespace stitch::llm {
namespace {

constexpr const char* kToolSchema =
    R"({"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false})";
constexpr const char* kAnswerSchema =
    R"({"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false})";

bool is_refused_form(const Fault& fault) {
  return fault.kind == FaultKind::kStatus && (fault.status == 400 || fault.status == 415 || fault.status == 422);
}

std::variant<Completion, Fault> ask_in(const Dialect& dialect, const ChatRequest& request, const Ask& ask) {
  const Result<Json> body = write_request(request, dialect);
  STITCH_CHECK(body.has_value()) << body.error().message;
  return ask(body->dump());
}

ChatRequest question(const std::string& model, const char* words, int64_t max_tokens) {
  return {.model = model, .messages = {{.content = words}}, .sampling = {.max_tokens = max_tokens}};
}

// The forms that servers differ in, the richest first; tools and schemas are not asked for by a plain question.
std::variant<Probed, Fault> probe_form(const std::string& model, const Ask& ask) {
  constexpr std::array kForms = std::to_array<Dialect>({
      {.streams = true, .usage_in_stream = true, .counts_completion_tokens = false},
      {.streams = true, .usage_in_stream = true, .counts_completion_tokens = true},
      {.streams = true, .usage_in_stream = false, .counts_completion_tokens = false},
      {.streams = true, .usage_in_stream = false, .counts_completion_tokens = true},
      {.streams = false, .usage_in_stream = false, .counts_completion_tokens = false},
      {.streams = false, .usage_in_stream = false, .counts_completion_tokens = true},
  });
  std::optional<Fault> first;
  for (const Dialect& form : kForms) {
    const auto end = ask_in(form, question(model, "Answer with the one word: ready", 32), ask);
    if (const auto* done = std::get_if<Completion>(&end); done != nullptr) {
      const std::optional<Usage>& usage = done->reply.usage;
      return Probed{.dialect = form,
                    .says_usage = usage.has_value() && !usage->is_estimated,
                    .first_token_seconds = done->first_token_seconds};
    }
    const auto& fault = std::get<Fault>(end);
    if (!is_refused_form(fault)) {
      return fault;
    }
    first = first.has_value() ? first : fault;
  }
  return *first;
}

bool has_called(const ChatReply& reply) {
  return !reply.calls.empty() && reply.calls.front().name == "ready" && reply.calls.front().complaint.empty();
}

bool has_kept_to_schema(const ChatReply& reply) {
  const Result<Json> answer = parse_json(reply.content, "an answer");
  return answer.has_value() && answer->is_object() && json_int(*answer, "sum").has_value();
}

// Whether the reply to `request` is as it should be; a form that is refused is not, and other faults are the answer.
std::variant<bool, Fault> is_able(const Dialect& dialect, const ChatRequest& request, const Ask& ask,
                                  bool (*is_good)(const ChatReply&)) {
  const auto end = ask_in(dialect, request, ask);
  if (const auto* done = std::get_if<Completion>(&end); done != nullptr) {
    return is_good(done->reply);
  }
  const auto& fault = std::get<Fault>(end);
  return is_refused_form(fault) ? std::variant<bool, Fault>(false) : std::variant<bool, Fault>(fault);
}

struct Feature {
  const char* name;
  bool Dialect::*place;
};
constexpr std::array kFeatures =
    std::to_array<Feature>({{"streams", &Dialect::streams},
                            {"tools", &Dialect::tools},
                            {"schemas", &Dialect::schemas},
                            {"usage_in_stream", &Dialect::usage_in_stream},
                            {"counts_completion_tokens", &Dialect::counts_completion_tokens}});

}  // namespace

std::variant<Probed, Fault> probe(const std::string& model, const Ask& ask) {
  std::variant<Probed, Fault> form = probe_form(model, ask);
  if (std::holds_alternative<Fault>(form)) {
    return form;
  }
  auto& probed = std::get<Probed>(form);
  ChatRequest call = question(model, "Call the tool ready with the word yes.", 1024);
  call.tools = {{.name = "ready", .description = "Says that you are ready.", .schema = kToolSchema}};
  ChatRequest sum = question(model, "What is 2 + 3? Answer as a JSON object with the member sum.", 1024);
  sum.schema = kAnswerSchema;
  const auto tools = is_able(probed.dialect, call, ask, has_called);
  if (const Fault* fault = std::get_if<Fault>(&tools); fault != nullptr) {
    return *fault;
  }
  const auto schemas = is_able(probed.dialect, sum, ask, has_kept_to_schema);
  if (const Fault* fault = std::get_if<Fault>(&schemas); fault != nullptr) {
    return *fault;
  }
  probed.dialect.tools = std::get<bool>(tools);
  probed.dialect.schemas = std::get<bool>(schemas);
  return probed;
}

Json to_json(const Probed& probed) {
  Json json;
  for (const Feature& each : kFeatures) {
    json["dialect"][each.name] = probed.dialect.*each.place;
  }
  json["says_usage"] = probed.says_usage;
  json["first_token_seconds"] = probed.first_token_seconds;
  return json;
}

Result<Probed> probed_from_json(const Json& json) {
  Probed probed;
  STITCH_ASSIGN(const Json* dialect, json_object(json, "dialect"));
  for (const Feature& each : kFeatures) {
    STITCH_ASSIGN(probed.dialect.*each.place, json_bool(*dialect, each.name));
  }
  STITCH_ASSIGN(probed.says_usage, json_bool(json, "says_usage"));
  STITCH_ASSIGN(probed.first_token_seconds, json_double(json, "first_token_seconds"));
  return probed;
}

}  // namespace stitch::llm
