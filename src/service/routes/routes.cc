// SPDX-License-Identifier: Apache-2.0
#include "service/routes/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json/depth.h"
#include "base/json/json.h"
#include "http/server/access.h"
#include "service/routes/answers.h"
#include "service/routes/compat.h"

namespace stitch::service {
namespace {

constexpr std::string_view kOne = "/v1/evaluations/";
constexpr size_t kMaxBatch = 1024;

http::Response not_allowed(const char* allowed) {
  http::Response refused = http::refusal(405, fmt::format("here is {} alone", allowed));
  refused.headers = {{"Allow", allowed}};
  return refused;
}

// Whoever watches over the service needs no token for that it lives.
bool is_open_to_all(const std::string& path) { return path == "/healthz" || path == "/readyz"; }

}  // namespace

void Routes::answer(http::Exchange& exchange) {
  const http::Response response = response_to(exchange);
  evaluations_.counters().add_answer(response.status);
  exchange.answer(response);
}

http::Response Routes::response_to(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  const bool is_from_here = !options_.is_loopback || http::is_local_host(request.header("host"));
  if (!is_from_here || !http::is_allowed_origin(request.header("origin"))) {
    return http::refusal(403, "only programs and pages of this machine may ask");
  }
  if (!is_open_to_all(request.path) && !http::is_authorized(request.header("authorization"), options_.token)) {
    http::Response refused = http::refusal(401, "send the token: Authorization: Bearer TOKEN");
    refused.headers = {{"WWW-Authenticate", "Bearer"}};
    return refused;
  }
  const bool is_get = request.method == "GET";
  const bool is_post = request.method == "POST";
  if (request.path == "/v1/evaluations") {
    return is_post ? post_one(exchange) : not_allowed("POST");
  }
  if (request.path == "/v1/evaluations:batch") {
    return is_post ? post_batch(exchange) : not_allowed("POST");
  }
  if (request.path.starts_with(kOne)) {
    return with_id(exchange, request.path.substr(kOne.size()));
  }
  if (request.path == "/compat/slime" || request.path == "/compat/openrlhf") {
    return is_post ? answer_compat(exchange, evaluations_) : not_allowed("POST");
  }
  if (!is_get) {
    return not_allowed("GET");
  }
  return request.path == "/v1/tasks"  ? tasks()
         : request.path == "/healthz" ? http::Response{.body = "ok\n", .content_type = "text/plain"}
         : request.path == "/readyz"  ? ready()
         : request.path == "/metrics"
             ? http::Response{.body = evaluations_.metrics_text(), .content_type = "text/plain; version=0.0.4"}
         : request.path == "/openapi.json" ? http::Response{.body = std::string(openapi_text())}
                                           : http::refusal(404, "there is no such route: GET /openapi.json lists them");
}

http::Response Routes::post_one(http::Exchange& exchange) {
  const Result<Json> body = read_body(exchange.request());
  if (!body.has_value()) {
    return http::refusal(400, body.error().message);
  }
  const Result<std::chrono::milliseconds> patience = patience_in(exchange.request());
  if (!patience.has_value()) {
    return http::refusal(400, patience.error().message);
  }
  const Admission admission = evaluations_.admit(*body);
  return admission.status == 202 ? answer_by(evaluations_, admission.id, *patience, exchange.stop())
                                 : refusal_of(admission);
}

// Each on its own: one that is refused says nothing about the others.
http::Response Routes::post_batch(http::Exchange& exchange) {
  const Result<Json> body = read_body(exchange.request());
  const Result<std::chrono::milliseconds> patience = patience_in(exchange.request());
  const bool is_batch = body.has_value() && patience.has_value() && body->is_object() &&
                        body->contains("evaluations") && (*body)["evaluations"].is_array() &&
                        (*body)["evaluations"].size() <= kMaxBatch;
  if (!is_batch) {
    return http::refusal(400, !body.has_value()       ? body.error().message
                              : !patience.has_value() ? patience.error().message
                                                      : fmt::format("evaluations is no list of at most {}", kMaxBatch));
  }
  std::vector<Admission> admissions;
  for (const Json& each : (*body)["evaluations"]) {
    admissions.push_back(evaluations_.admit(each));
  }
  const auto until = std::chrono::steady_clock::now() + *patience;
  Json list = Json::array();
  for (const Admission& admission : admissions) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const http::Response one =
        admission.status == 202
            ? answer_by(evaluations_, admission.id, std::max(left, std::chrono::milliseconds(0)), exchange.stop())
            : refusal_of(admission);
    const Result<Json> said = parse_json(one.body, "an answer");
    Json item = said.has_value() ? *said : Json::object();
    item["http_status"] = one.status;
    list.push_back(std::move(item));
  }
  return json_response(200, {{"schema", kEvaluationSchema}, {"evaluations", std::move(list)}});
}

http::Response Routes::with_id(http::Exchange& exchange, const std::string& id) {
  const http::Request& request = exchange.request();
  if (request.method == "DELETE") {
    return cancel(id);
  }
  if (request.method != "GET") {
    return not_allowed("GET, DELETE");
  }
  const Result<std::chrono::milliseconds> patience = patience_in(request);
  return patience.has_value() ? answer_by(evaluations_, id, *patience, exchange.stop())
                              : http::refusal(400, patience.error().message);
}

http::Response Routes::cancel(const std::string& id) {
  const Result<bool> was_there = evaluations_.cancel(id);
  if (!was_there.has_value()) {
    return http::refusal(503, was_there.error().message);
  }
  const Stop never;
  return *was_there ? answer_by(evaluations_, id, std::chrono::milliseconds(0), never)
                    : http::refusal(404, "there is no such evaluation");
}

http::Response Routes::tasks() const {
  Json list = Json::array();
  for (const auto& [id, task] : tasks_.all()) {
    list.push_back({{"id", id}, {"version", task.version}, {"split", task.split.empty() ? Json() : Json(task.split)}});
  }
  return json_response(200, {{"schema", "stitchcuda.eval_tasks/1"}, {"tasks", std::move(list)}});
}

http::Response Routes::ready() const {
  if (evaluations_.is_draining()) {
    return http::refusal(503, "the service drains");
  }
  return evaluations_.is_store_up() ? http::Response{.body = "ready\n", .content_type = "text/plain"}
                                    : http::refusal(503, "the store of jobs does not answer");
}

}  // namespace stitch::service
