// SPDX-License-Identifier: Apache-2.0
// tools/call: a call is begun and waited for on a thread of its own, told of every few seconds, and handed over as a
// job when it takes too long for one answer.
#include <fmt/format.h>

#include "base/json/shown.h"
#include "mcp/session/call_result.h"
#include "mcp/session/session.h"
#include "tools/arguments/check_arguments.h"
#include "tools/table/run_tool.h"

namespace stitch::mcp {
namespace {

// The token by which a client wants to hear of progress; null where it does not.
Json progress_token_of(const Json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object() || !meta->contains("progressToken")) {
    return {};
  }
  const Json& token = (*meta)["progressToken"];
  return token.is_string() || token.is_number() ? token : Json();
}

}  // namespace

// What one request waits for, until when, and how it is answered.
struct Session::Attendance {
  Json id;
  std::shared_ptr<Outlet> outlet;
  Json progress_token;
  std::shared_ptr<Waiting> waiting;
  std::chrono::milliseconds patience{};
  size_t offset = 0;  // of the result
};

void Session::take_call(const Message& message, const std::shared_ptr<Outlet>& outlet) {
  const Result<std::string> name = json_string(message.params, "name");
  const Json arguments = message.params.value("arguments", Json::object());
  if (!name.has_value() || !arguments.is_object()) {
    outlet->send(error_response(message.id, RpcError::kInvalidParams,
                                "tools/call has a name, which is a text, and arguments, which are an object"));
    return;
  }
  if (*name == job_.name) {
    take_job(message, arguments, outlet);
    return;
  }
  if (server_.table.find(*name) == nullptr) {
    outlet->send(error_response(message.id, RpcError::kInvalidParams,
                                fmt::format("there is no tool {}: the tools are {}, {}", name->substr(0, 80),
                                            server_.table.names(), job_.name)));
    return;
  }
  if (const auto wrong = tools::mistake_in_call(server_.table, *name, arguments)) {
    outlet->send(response(message.id, reply_result(*wrong, version_)));
    return;
  }
  auto waiting = std::make_shared<Waiting>();
  waiting->call = calls_.begin(*name, arguments);
  if (waiting->call == nullptr) {
    outlet->send(response(message.id, mistake_result("Too many calls are under way: wait for one of them with the tool "
                                                     "job, or cancel it.")));
    return;
  }
  attend({.id = message.id,
          .outlet = outlet,
          .progress_token = progress_token_of(message.params),
          .waiting = std::move(waiting),
          .patience = server_.times.hand_over});
}

void Session::take_job(const Message& message, const Json& arguments, const std::shared_ptr<Outlet>& outlet) {
  const std::vector<std::string> faults = tools::faults_of_arguments(job_.schema, arguments);
  if (!faults.empty()) {
    outlet->send(response(message.id, mistake_result("job was not called: " + faults.front() + ".")));
    return;
  }
  const std::shared_ptr<Call> call = calls_.find(shown_string(arguments, "id", ""));
  if (call == nullptr) {
    outlet->send(response(message.id,
                          mistake_result(fmt::format("There is no job {}. Those there are: {}.",
                                                     shown_string(arguments, "id", "").substr(0, 80), calls_.ids()))));
    return;
  }
  const std::string action = shown_string(arguments, "action", "wait");
  auto waiting = std::make_shared<Waiting>();
  waiting->call = call;
  waiting->ends_call = false;
  std::chrono::milliseconds patience{0};
  if (action == "wait") {
    patience = std::chrono::seconds(shown_int(arguments, "seconds", 0));
    patience = patience.count() > 0 ? std::min(patience, server_.times.hand_over) : server_.times.hand_over;
  } else if (action == "cancel") {
    call->stop();
    patience = std::chrono::seconds(2);
  }
  attend({.id = message.id,
          .outlet = outlet,
          .progress_token = progress_token_of(message.params),
          .waiting = std::move(waiting),
          .patience = patience,
          .offset = static_cast<size_t>(shown_int(arguments, "offset", 0))});
}

void Session::attend(Attendance attendance) {
  const std::string key = line_of(attendance.id);
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.emplace(key, attendance.waiting).second) {
      if (attendance.waiting->ends_call) {
        attendance.waiting->call->stop();
      }
      attendance.outlet->send(
          error_response(attendance.id, RpcError::kInvalidRequest, "a request of this id is under way"));
      return;
    }
  }
  crew_.start([this, attendance = std::move(attendance), key] {
    const std::optional<Json> answer = answer_when_done(attendance);
    {  // its id is free before the answer is read: the client may use it at once
      const std::lock_guard lock(mutex_);
      waiting_.erase(key);
    }
    if (answer.has_value()) {
      attendance.outlet->send(*answer);
    }
  });
}

std::optional<Json> Session::answer_when_done(const Attendance& attendance) {
  Waiting& waiting = *attendance.waiting;
  Call& call = *waiting.call;
  const Clock::time_point end = Clock::now() + attendance.patience;
  Clock::time_point next_progress = Clock::now() + server_.times.between_progress;
  while (true) {
    const bool is_done = call.wait_until(std::min(end, next_progress), waiting.given_up);
    if (waiting.given_up) {
      if (waiting.ends_call) {
        call.stop();
      }
      return std::nullopt;
    }
    if (is_done || Clock::now() >= end) {
      return response(attendance.id, is_done ? result_of(call, attendance.offset, version_) : state_of(call, version_));
    }
    if (Clock::now() >= next_progress) {
      next_progress += server_.times.between_progress;
      if (!attendance.progress_token.is_null()) {
        attendance.outlet->send(
            notification("notifications/progress", Json{{"progressToken", attendance.progress_token},
                                                        {"progress", call.seconds()},
                                                        {"message", call.progress()}}));
      }
    }
  }
}

}  // namespace stitch::mcp
