// SPDX-License-Identifier: Apache-2.0
#include "mcp/session/session.h"

#include <fmt/format.h>

#include "base/error/check.h"
#include "base/json/shown.h"
#include "mcp/session/instructions.h"
#include "mcp/session/tool_list.h"

namespace stitch::mcp {
namespace {

constexpr size_t kMaxBatch = 100;

}  // namespace

Session::Session(Server& server)
    : server_(server),
      job_(job_spec(std::max<int64_t>(1, std::chrono::ceil<std::chrono::seconds>(server.times.hand_over).count()))),
      calls_(server.run, server.gate) {}

Session::~Session() {
  give_up();
  crew_.wait();
}

bool Session::is_initialized() { return is_initialized_; }

void Session::take_text(std::string_view text, std::shared_ptr<Outlet> outlet) {
  const std::variant<Json, Malformed> parsed = parse_text(text);
  if (const auto* fault = std::get_if<Malformed>(&parsed); fault != nullptr) {
    outlet->send(error_response(Json(), RpcError::kParse, fault->why));
    return;
  }
  take(std::get<Json>(parsed), std::move(outlet));
}

void Session::take(const Json& json, std::shared_ptr<Outlet> outlet) {
  if (json.is_array()) {
    take_batch(json, outlet);
  } else {
    take_one(json, outlet, true);
  }
}

void Session::take_batch(const Json& json, const std::shared_ptr<Outlet>& outlet) {
  if (is_initialized_ && !takes_batches(version_)) {
    outlet->send(
        error_response(Json(), RpcError::kInvalidRequest,
                       fmt::format("the protocol {} has no batches: send one message at a time", to_string(version_))));
    return;
  }
  if (json.empty() || json.size() > kMaxBatch) {
    outlet->send(
        error_response(Json(), RpcError::kInvalidRequest, fmt::format("a batch has from 1 to {} messages", kMaxBatch)));
    return;
  }
  const auto batch = std::make_shared<BatchOutlet>(outlet);
  for (const Json& one : json) {
    take_one(one, batch, false);
  }
}

void Session::take_one(const Json& json, const std::shared_ptr<Outlet>& outlet, bool is_alone) {
  const std::variant<Message, Json> read = message_from_json(json);
  if (const auto* fault = std::get_if<Json>(&read); fault != nullptr) {
    outlet->send(*fault);
    return;
  }
  const auto& message = std::get<Message>(read);
  if (message.kind == MessageKind::kRequest) {
    take_request(message, outlet, is_alone);
  } else if (message.kind == MessageKind::kNotification && message.method == "notifications/cancelled") {
    cancel(message.params);
  }
}

void Session::take_request(const Message& message, const std::shared_ptr<Outlet>& outlet, bool is_alone) {
  if (message.method == "initialize") {
    outlet->send(initialize(message, is_alone));
  } else if (message.method == "ping") {
    outlet->send(response(message.id, Json::object()));
  } else if (message.method != "tools/list" && message.method != "tools/call") {
    outlet->send(
        error_response(message.id, RpcError::kMethodNotFound, "there is no method " + message.method.substr(0, 100)));
  } else if (!is_initialized_) {
    outlet->send(error_response(message.id, RpcError::kInvalidRequest, "send initialize first"));
  } else if (message.method == "tools/call") {
    take_call(message, outlet);
  } else if (message.params.contains("cursor")) {
    outlet->send(error_response(message.id, RpcError::kInvalidParams, "the list of tools has one page: no cursor"));
  } else {
    outlet->send(response(message.id, list_tools(server_.table, job_, version_)));
  }
}

Json Session::initialize(const Message& message, bool is_alone) {
  if (!is_alone) {
    return error_response(message.id, RpcError::kInvalidRequest, "initialize comes alone, in no batch");
  }
  if (is_initialized_) {
    return error_response(message.id, RpcError::kInvalidRequest, "this session is initialized already");
  }
  const Result<std::string> asked = json_string(message.params, "protocolVersion");
  if (!asked.has_value()) {
    return error_response(message.id, RpcError::kInvalidParams, "initialize has a protocolVersion, which is a text");
  }
  version_ = agreed_version(*asked);
  is_initialized_ = true;
  return response(message.id,
                  Json{{"protocolVersion", to_string(version_)},
                       {"capabilities", {{"tools", {{"listChanged", false}}}}},
                       {"serverInfo", {{"name", "stitchcuda"}, {"title", "stitchcuda"}, {"version", server_.version}}},
                       {"instructions", instructions()}});
}

void Session::cancel(const Json& params) {
  const auto id = params.find("requestId");
  if (id == params.end()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(line_of(*id));
  if (found != waiting_.end()) {
    found->second->given_up = true;
    found->second->call->nudge();
  }
}

void Session::give_up() {
  calls_.stop_all();
  const std::lock_guard lock(mutex_);
  for (const auto& [id, waiting] : waiting_) {
    waiting->given_up = true;
    waiting->call->nudge();
  }
}

}  // namespace stitch::mcp
