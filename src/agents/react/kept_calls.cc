// SPDX-License-Identifier: Apache-2.0
#include "agents/react/kept_calls.h"

#include <algorithm>
#include <cmath>

#include "base/hash/sha256.h"
#include "tools/replies/error_reply.h"

namespace stitch::agents {
namespace {

constexpr int kMaxFailures = 3;

std::string text_of_json(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_of(const Changes& changes) {
  Json files = Json::object();
  for (const auto& [path, digest] : changes) {
    files[path] = digest;
  }
  return files;
}

Result<Changes> changes_in(const Json& kept, const char* name) {
  STITCH_ASSIGN(const Json* files, json_object(kept, name));
  Changes changes;
  for (const auto& [path, digest] : files->items()) {
    STITCH_ASSIGN(changes[path], json_string(*files, path.c_str()));
  }
  return changes;
}

// `program`: of a call that drew it anew.
std::string kept_text(const CallResult& result, const Changes& changes, const Changes& program) {
  Json json = {{"reply", to_json(result.reply)}, {"seconds", result.seconds}, {"files", json_of(changes)}};
  if (!program.empty()) {
    json["program"] = json_of(program);
  }
  return text_of_json(json);
}

bool is_of_this_machine(ErrorCode code) { return code != ErrorCode::kInterrupted; }

// A command does not outlive the session's time.
Json in_time(const std::string& tool, Json arguments, double at_most_s) {
  constexpr double kUsual = 60;
  if (tool == "shell" && std::isfinite(at_most_s)) {
    const double wanted = arguments.contains("timeout_s") && arguments["timeout_s"].is_number()
                              ? arguments["timeout_s"].get<double>()
                              : kUsual;
    arguments["timeout_s"] = static_cast<int64_t>(std::max(1.0, std::min(wanted, at_most_s)));
  }
  return arguments;
}

}  // namespace

Result<std::optional<CallResult>> KeptCalls::kept(const std::string& key) {
  STITCH_ASSIGN(const std::optional<std::string> known, journal_.answer_to(key));
  if (!known.has_value()) {
    return std::optional<CallResult>();
  }
  STITCH_ASSIGN(const Json json, parse_json(*known, "a result in the journal"));
  CallResult result;
  STITCH_ASSIGN(const Json* reply, json_object(json, "reply"));
  STITCH_ASSIGN(result.reply, tools::tool_reply_from_json(*reply));
  STITCH_ASSIGN(result.seconds, json_double(json, "seconds"));
  if (json.contains("program")) {
    STITCH_ASSIGN(const Changes program, changes_in(json, "program"));
    STITCH_TRY(folder_.take_program(program));
    is_live_ = false;
  }
  STITCH_ASSIGN(const Changes changes, changes_in(json, "files"));
  STITCH_TRY(folder_.take(changes));
  is_live_ = is_live_ && changes.empty();
  return std::optional(std::move(result));
}

Result<CallResult> KeptCalls::live(const std::string& tool, const Json& arguments, const std::string& key,
                                   const std::string& body) {
  if (is_offline_) {
    return failure(ErrorCode::kFileInvalid, "the journal lacks a result of the tool " + tool, "",
                   "resume the run instead: stitchcuda runs resume ID");
  }
  if (!is_live_) {
    STITCH_TRY(folder_.restore());
    is_live_ = true;
  }
  const auto start = std::chrono::steady_clock::now();
  Result<tools::ToolReply> reply = toolbox_.call(tool, arguments);
  if (!reply.has_value() && (!is_of_this_machine(reply.error().code) || ++failures_ >= kMaxFailures)) {
    return failure(reply.error());
  }
  CallResult result;
  if (reply.has_value()) {
    failures_ = 0;
    result.reply = std::move(*reply);
  } else {
    result.reply = tools::mistake("This machine could not do it: " + tools::error_text(reply.error()));
  }
  Changes program;
  if (toolbox_.draws(tool) && result.reply.outcome == tools::Outcome::kDone) {
    STITCH_ASSIGN(program, folder_.take_program());
  }
  Changes changes;
  if (toolbox_.writes(tool)) {
    STITCH_ASSIGN(changes, folder_.look());
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  STITCH_TRY(journal_.keep_answer(key, Role::kTools, body, kept_text(result, changes, program)));
  return result;
}

Result<CallResult> KeptCalls::call(const llm::ToolCall& call, double at_most_s) {
  STITCH_ASSIGN(const Json arguments, parse_json(call.arguments, "a call"));
  const std::string body = text_of_json({{"tool", call.name}, {"arguments", arguments}, {"after", history_}});
  const std::string key = request_key(Role::kTools, body, 0);
  STITCH_ASSIGN(std::optional<CallResult> result, kept(key));
  if (!result.has_value()) {
    STITCH_ASSIGN(result, live(call.name, in_time(call.name, arguments, at_most_s), key, body));
  }
  history_ = sha256_hex(body + result->reply.text);
  return std::move(*result);
}

}  // namespace stitch::agents
