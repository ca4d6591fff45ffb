// SPDX-License-Identifier: Apache-2.0
#include "tools/spec/tool.h"

#include <array>

namespace stitch::tools {
namespace {

constexpr std::array kOutcomes = {Outcome::kDone, Outcome::kFellShort, Outcome::kMistake};

}  // namespace

const char* to_string(Cost cost) {
  switch (cost) {
    case Cost::kInstant:
      return "instant";
    case Cost::kSeconds:
      return "seconds";
    case Cost::kMinutes:
      return "minutes";
  }
  return "seconds";
}

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kFellShort:
      return "fell_short";
    case Outcome::kMistake:
      return "mistake";
  }
  return "mistake";
}

Json to_json(const ToolReply& reply) {
  return Json{{"outcome", to_string(reply.outcome)}, {"text", reply.text}, {"facts", reply.facts}};
}

Result<ToolReply> tool_reply_from_json(const Json& json) {
  ToolReply reply;
  STITCH_ASSIGN(const std::string outcome, json_string(json, "outcome"));
  STITCH_ASSIGN(reply.text, json_string(json, "text"));
  STITCH_ASSIGN(const Json* facts, json_object(json, "facts"));
  reply.facts = *facts;
  for (const Outcome known : kOutcomes) {
    if (outcome == to_string(known)) {
      reply.outcome = known;
      return reply;
    }
  }
  return failure(ErrorCode::kFileInvalid, "a tool's reply has the unknown outcome '" + outcome + "'");
}

ToolReply mistake(std::string text) { return ToolReply{.outcome = Outcome::kMistake, .text = std::move(text)}; }

}  // namespace stitch::tools
