// SPDX-License-Identifier: Apache-2.0
#include "agents/acp/acp_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/acp/conversation.h"
#include "agents/workspace/task_places.h"
#include "base/json/shown.h"

namespace stitch::agents {
namespace {

using Clock = AgentProcess::Clock;

constexpr int64_t kProtocolVersion = 1;
constexpr double kEndSeconds = 5;  // for an agent that is told to stop

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

double seconds_for(const State& state, const AcpRules& rules) {
  if (!state.limits.seconds.has_value()) {
    return rules.whole_s;
  }
  return std::clamp(kPartForSessions * *state.limits.seconds - total_spending(state).seconds, 0.0, rules.whole_s);
}

Json initialize_params() {
  return {{"protocolVersion", kProtocolVersion},
          {"clientCapabilities", {{"fs", {{"readTextFile", true}, {"writeTextFile", true}}}, {"terminal", false}}},
          {"clientInfo", {{"name", "stitchcuda"}, {"version", STITCH_VERSION}}}};
}

Result<Json> session_params(const std::filesystem::path& workspace) {
  STITCH_ASSIGN(const std::filesystem::path program, find_helper_program("stitchcuda"));
  const Json server = {{"name", "stitchcuda"},
                       {"command", program.string()},
                       {"args", {"mcp", "--root", workspace.string()}},
                       {"env", Json::array()}};
  return Json{{"cwd", workspace.string()}, {"mcpServers", Json::array({server})}};
}

// What a session came to, from its beginning to the answer to the one prompt.
std::string converse_with(AcpConversation& agent, const Json& session, const std::string& task, const AcpRules& rules,
                          Clock::time_point end) {
  const auto soon = [&] { return std::min(end, after(rules.answer_s)); };
  const AcpConversation::Answer hello = agent.ask("initialize", initialize_params(), soon(), rules.answer_s);
  if (!hello.why.empty()) {
    return "the agent did not begin: " + hello.why;
  }
  if (const int64_t version = shown_int(hello.result, "protocolVersion", 0); version != kProtocolVersion) {
    return fmt::format("the agent speaks version {} of the protocol, not {}", version, kProtocolVersion);
  }
  const AcpConversation::Answer begun = agent.ask("session/new", session, soon(), rules.answer_s);
  const std::string id = begun.why.empty() ? shown_string(begun.result, "sessionId", "") : "";
  if (id.empty()) {
    return "the agent began no session: " + (begun.why.empty() ? "it gave it no name" : begun.why);
  }
  const Json prompt = {{"sessionId", id}, {"prompt", Json::array({{{"type", "text"}, {"text", task}}})}};
  const AcpConversation::Answer done = agent.ask("session/prompt", prompt, end, rules.silence_s);
  if (done.was_late) {
    agent.tell("session/cancel", {{"sessionId", id}});
    agent.wait(after(kEndSeconds), kEndSeconds);
    return "the agent was ended: " + done.why;
  }
  return done.why.empty() ? fmt::format("the agent ended its turn ({})", shown_string(done.result, "stopReason", "?"))
                          : "the agent broke off: " + done.why;
}

}  // namespace

Result<SessionEnd> AcpSession::run(const State& state, const Material& material, WorkFolder& folder) {
  const auto start = Clock::now();
  STITCH_TRY(folder.restore());
  std::error_code failed;
  const std::filesystem::path workspace = std::filesystem::canonical(folder.root(), failed);
  STITCH_ASSIGN(const Json session, session_params(workspace));
  STITCH_ASSIGN(AgentProcess process, AgentProcess::start(rules_.command, workspace, rules_.hidden));
  const std::string task = prompts_.fill("acp_task", task_places(state, material, folder.pristine(), prompts_));
  SessionEnd end;
  {
    AcpConversation agent(std::move(process), workspace, told_);
    end.why = converse_with(agent, session, task, rules_, after(seconds_for(state, rules_)));
    end.turns = agent.calls();
  }
  STITCH_TRY(folder.look());  // only now: nothing that it started still writes
  folder.take_groups();
  told_("session: " + end.why);
  end.spent = {{.role = Role::kTools, .seconds = std::chrono::duration<double>(Clock::now() - start).count()}};
  return end;
}

}  // namespace stitch::agents
