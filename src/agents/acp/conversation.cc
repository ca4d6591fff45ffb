// SPDX-License-Identifier: Apache-2.0
#include "agents/acp/conversation.h"

#include <fmt/format.h>

#include "agents/acp/requests.h"
#include "base/json/shown.h"
#include "base/text/printable.h"

namespace stitch::agents {
namespace {

constexpr int kMaxNonsense = 50;  // lines that are no message: some agents print their log there
constexpr size_t kMaxShownBytes = 200;

AgentProcess::Clock::duration in_seconds(double seconds) {
  return std::chrono::duration_cast<AgentProcess::Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string error_in(const Json& error) {
  return printable_line(error.is_object() ? shown_string(error, "message", "no reason") : "no reason", kMaxShownBytes);
}

}  // namespace

void AcpConversation::hear(const Json& message) {
  const Json params = message.value("params", Json::object());
  const Json update = params.is_object() ? params.value("update", Json::object()) : Json::object();
  if (update.is_object() && shown_string(update, "sessionUpdate", "") == "tool_call") {
    ++calls_;
    told_(fmt::format("agent: {}", printable_line(shown_string(update, "title", "a call"), kMaxShownBytes)));
  }
}

// True once the answer to the latest request is there.
bool AcpConversation::take(const Json& message, Answer& answer) {
  if (message.contains("method")) {
    if (message.contains("id")) {
      process_.send(response_to(message, workspace_));
    } else {
      hear(message);
    }
    return false;
  }
  const auto answered = message.find("id");
  if (answered == message.end() || *answered != Json(last_id_)) {
    return false;
  }
  if (message.contains("error")) {
    answer.why = "it refused: " + error_in(message["error"]);
  } else {
    answer.result = message.value("result", Json::object());
  }
  return true;
}

AcpConversation::Answer AcpConversation::ask(const std::string& method, Json params,
                                             AgentProcess::Clock::time_point deadline, double silence_s) {
  if (!process_.send({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", std::move(params)}})) {
    return {.why = "it " + last_words()};
  }
  return wait(deadline, silence_s);
}

AcpConversation::Answer AcpConversation::wait(AgentProcess::Clock::time_point deadline, double silence_s) {
  Answer answer;
  std::string line;
  while (true) {
    const auto patience = std::min(deadline, AgentProcess::Clock::now() + in_seconds(silence_s));
    switch (process_.receive(patience, line)) {
      case AgentProcess::Got::kEnded:
        answer.why = "it " + last_words();
        return answer;
      case AgentProcess::Got::kTooLong:
        answer.why = "it sent a line without an end";
        return answer;
      case AgentProcess::Got::kNothing:
        answer.was_late = true;
        answer.why =
            patience == deadline ? "its time was over" : fmt::format("it said nothing for {:.0f} s", silence_s);
        return answer;
      case AgentProcess::Got::kLine:
        break;
    }
    const Result<Json> message = parse_json(line, "a message");
    if (message.has_value() && message->is_object()) {
      if (take(*message, answer)) {
        return answer;
      }
    } else if (line.find_first_not_of(" \r\t") != std::string::npos && ++nonsense_ > kMaxNonsense) {
      answer.why = "it talks, but not the Agent Client Protocol: " + printable_line(line, kMaxShownBytes);
      return answer;
    }
  }
}

void AcpConversation::tell(const std::string& method, Json params) {
  process_.send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

}  // namespace stitch::agents
