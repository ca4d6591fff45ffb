// SPDX-License-Identifier: Apache-2.0
#include "agents/react/react_session.h"

#include <fmt/format.h>

#include <limits>

#include "agents/prompts/quote.h"
#include "agents/react/expert_turns.h"
#include "agents/react/kept_calls.h"
#include "agents/react/talk.h"
#include "agents/roles/context.h"
#include "agents/workspace/task_places.h"
#include "base/json/json.h"
#include "base/text/printable.h"
#include "tools/spec/tool_text.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxCalls = 8;     // of one answer
constexpr int kMaxIdle = 5;         // answers in a row that call nothing
constexpr size_t kToldBytes = 120;  // of a call, for people

// One session under way.
class ReactRun {
 public:
  ReactRun(Desk desk, const Seat& seat, Journal& journal, const ReactRules& rules,
           const std::function<void(const std::string&)>& told, const State& state, const Material& material,
           WorkFolder& folder)
      : desk_(desk),
        seat_(seat),
        rules_(rules),
        told_(told),
        state_(state),
        folder_(folder),
        toolbox_(folder, rules.tools),
        calls_(journal, folder, toolbox_, rules.is_offline),
        expert_(state, material, folder.pristine()),
        talk_(desk.prompts.fill("react", {{"skill", std::string(tools::embedded_text("workspace/SKILL"))},
                                          {"turns", fmt::format("{}", rules.turns)},
                                          {"answer", rules_of_answer(folder.pristine().form, desk.prompts)}}),
              desk.prompts.fill("react_task", task_places(state, material, folder.pristine(), desk.prompts))),
        tools_(toolbox_.tools()) {}

  Result<SessionEnd> run();

 private:
  Result<void> turn();
  Result<void> perform(const llm::ToolCall& call);
  bool is_of_answer(const llm::ToolCall& call) const;
  State state_now() const;
  double seconds_left() const;
  void end(std::string why);

  Desk desk_;
  const Seat& seat_;
  const ReactRules& rules_;
  const std::function<void(const std::string&)>& told_;
  const State& state_;
  WorkFolder& folder_;
  Toolbox toolbox_;
  KeptCalls calls_;
  ExpertTurns expert_;
  Talk talk_;
  std::vector<llm::Tool> tools_;
  SessionEnd end_;
  double tool_seconds_ = 0;
  int idle_ = 0;
};

void ReactRun::end(std::string why) { end_.why = end_.why.empty() ? std::move(why) : end_.why; }

// The state with the time that the session has taken so far; a part of it stays for judging what comes of it.
State ReactRun::state_now() const {
  State now = state_;
  Spending session{.seconds = tool_seconds_};
  for (const Spending& each : end_.spent) {
    session.seconds += each.seconds;
  }
  now.ledger.push_back(session);
  if (now.limits.seconds.has_value()) {
    now.limits.seconds = kPartForSessions * *now.limits.seconds;
  }
  return now;
}

double ReactRun::seconds_left() const {
  const State now = state_now();
  return now.limits.seconds.has_value() ? *now.limits.seconds - total_spending(now).seconds
                                        : std::numeric_limits<double>::infinity();
}

// Whether it verifies all that would be handed in now: the program, or the module.
bool ReactRun::is_of_answer(const llm::ToolCall& call) const {
  const Result<Json> arguments = parse_json(call.arguments, "a call");
  if (call.name != "verify" || !arguments.has_value() || arguments->contains("step")) {
    return false;
  }
  if (folder_.pristine().form == AnswerForm::kSteps) {
    return arguments->contains("folder");
  }
  const auto candidate = arguments->find("candidate");
  return candidate != arguments->end() && candidate->is_string() &&
         std::filesystem::path(candidate->get<std::string>()).lexically_normal() == kModuleFile;
}

Result<void> ReactRun::perform(const llm::ToolCall& call) {
  if (!call.complaint.empty()) {
    talk_.add_result(call, fmt::format("{} was not called: {}", call.name, call.complaint));
    return {};
  }
  if (call.name == kFinish) {
    end("the work was handed in");
    return {};
  }
  STITCH_ASSIGN(const CallResult result, calls_.call(call, seconds_left()));
  tool_seconds_ += result.seconds;
  expert_.learn(call.name, result.reply.outcome);
  talk_.add_result(call, result.reply.text);
  told_(fmt::format("turn {}: {} {}: {}", end_.turns, call.name, printable_line(call.arguments, kToldBytes),
                    tools::to_string(result.reply.outcome)));
  if (result.reply.outcome == tools::Outcome::kDone && is_of_answer(call)) {
    for (const auto& [step, path] : folder_.pristine().answers) {
      if (path != kHostFile) {  // of which the tools know nothing
        end_.verified[step] = folder_.text_of(step);
      }
    }
  }
  return {};
}

Result<void> ReactRun::turn() {
  llm::ChatRequest request{.messages = talk_.messages(), .tools = tools_};
  STITCH_ASSIGN(auto asked, desk_.asker.ask(state_now(), Role::kCoder, seat_, std::move(request), end_.spent,
                                            [this] { return expert_.next(); }));
  if (const auto* not_asked = std::get_if<NotAsked>(&asked); not_asked != nullptr) {
    end(not_asked->why);
    return {};
  }
  auto& [reply, spent] = std::get<Asked>(asked);
  ++end_.turns;
  end_.spent.push_back(spent);
  const size_t left_out = reply.calls.size() - std::min(reply.calls.size(), kMaxCalls);
  reply.calls.resize(reply.calls.size() - left_out);
  talk_.add_answer(reply);
  idle_ = reply.calls.empty() ? idle_ + 1 : 0;
  if (idle_ == kMaxIdle) {
    end(fmt::format("{} answers in a row called no tool", kMaxIdle));
  } else if (idle_ > 0) {
    talk_.add_remark(desk_.prompts.fill("react_nudge"));
  }
  for (size_t i = 0; i < reply.calls.size() && end_.why.empty(); ++i) {
    STITCH_TRY(perform(reply.calls[i]));
  }
  if (left_out > 0) {
    talk_.add_remark(fmt::format("{} more calls of that answer were not made: at most {} are", left_out, kMaxCalls));
  }
  return {};
}

Result<SessionEnd> ReactRun::run() {
  while (end_.why.empty() && end_.turns < rules_.turns) {
    STITCH_TRY(turn());
  }
  end(fmt::format("its {} turns were over", rules_.turns));
  const size_t ended = toolbox_.end_all();
  told_(fmt::format("session: {} after {} turns{}", end_.why, end_.turns,
                    ended == 0 ? "" : fmt::format("; {} processes in the background were ended", ended)));
  Spending all{.role = Role::kCoder};
  for (const Spending& each : end_.spent) {
    add_amounts(each, all);
  }
  end_.spent = {all, {.role = Role::kTools, .seconds = tool_seconds_}};
  return end_;
}

}  // namespace

std::string name_of_session(const ReactRules& rules, const Seat& seat, const Prompts& prompts) {
  const std::map<std::string, std::string> digests = prompts.digests();
  return fmt::format("react {} {} {}", seat.model, rules.turns, digests.at("react"));
}

Result<SessionEnd> ReactSession::run(const State& state, const Material& material, WorkFolder& folder) {
  return ReactRun(desk_, seat_, journal_, rules_, told_, state, material, folder).run();
}

}  // namespace stitch::agents
