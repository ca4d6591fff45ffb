// SPDX-License-Identifier: Apache-2.0
// A tool: something that a language model may call by name, with arguments in JSON, and whose reply it reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json.h"
#include "tools/spec/tool_context.h"

namespace stitch::tools {

// How long a call takes.
enum class Cost { kInstant, kSeconds, kMinutes };
const char* to_string(Cost cost);  // "instant", "seconds", "minutes"

struct Effects {
  bool writes = false;    // files of the caller's; reading is what every tool may do
  bool uses_gpu = false;  // where there is one
};

struct ToolSpec {
  std::string name;  // as it is called, and of its text in prompts/tools/
  Json schema;       // of the arguments: an object
  Effects effects{};
  Cost cost = Cost::kSeconds;
  bool is_judging = false;      // of what it is at only the stage is told: more would show what it judges by
  size_t max_bytes = 1u << 20;  // of the reply's text; what is longer is cut, and the cut marked
};

// What became of a call. A failing world is an Error instead.
enum class Outcome {
  kDone,
  kFellShort,  // what was asked about, a candidate, does not do: the reply says how
  kMistake,    // of the caller's: arguments, or files that cannot be taken
};
const char* to_string(Outcome outcome);  // "done", "fell_short", "mistake"

struct ToolReply {
  Outcome outcome = Outcome::kDone;
  std::string text{};           // what the model reads
  Json facts = Json::object();  // of it, in a few members
};

Json to_json(const ToolReply& reply);
Result<ToolReply> tool_reply_from_json(const Json& json);

ToolReply mistake(std::string text);

class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolSpec& spec() const = 0;
  // `arguments` are as the schema says.
  virtual Result<ToolReply> run(const Json& arguments, ToolContext& context) const = 0;
};

}  // namespace stitch::tools
