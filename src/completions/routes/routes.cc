// SPDX-License-Identifier: Apache-2.0
#include "completions/routes/routes.h"

#include <fmt/format.h>

#include <ctime>
#include <future>
#include <limits>

#include "base/json/json.h"
#include "base/seed/seed.h"
#include "base/text/printable.h"
#include "completions/request/read_request.h"
#include "http/server/access.h"

namespace stitch::completions {
namespace {

constexpr std::chrono::milliseconds kLook{200};
constexpr std::chrono::seconds kSilence{5};  // after which a stream says that it is alive

http::Response json_response(const Json& json) {
  return {.body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", .headers = {}};
}

http::Response not_allowed(const char* allowed) {
  http::Response response = refused(405, fmt::format("here is {} alone", allowed));
  response.headers = {{"Allow", allowed}};
  return response;
}

http::Response too_many(size_t waiting) {
  http::Response response = refused(429, fmt::format("{} requests wait: come again later", waiting));
  response.headers = {{"Retry-After", "5"}};
  return response;
}

bool changes_adapters(const std::string& path) {
  return path == "/v1/load_lora_adapter" || path == "/v1/unload_lora_adapter";
}

int64_t answer_tokens_of(const Job& job) {
  int64_t count = 0;
  for (const Choice& choice : job.end()->choices) {
    count += static_cast<int64_t>(choice.tokens.size());
  }
  return count;
}

// A version that comes, or, without a path, goes.
class AdapterChange final : public Work {
 public:
  AdapterChange(Engine& engine, std::string name, std::optional<std::string> path)
      : engine_(engine), name_(std::move(name)), path_(std::move(path)) {}

  Result<void> wait() { return done_.get_future().get(); }

  int64_t rows() const override { return 0; }
  std::optional<DrawId> begin() override {
    done_.set_value(path_.has_value() ? engine_.load(name_, *path_) : engine_.unload(name_));
    return std::nullopt;
  }
  void end(Result<std::vector<Drawn>> /*samples*/) override {}

 private:
  Engine& engine_;
  const std::string name_;
  const std::optional<std::string> path_;
  std::promise<Result<void>> done_;
};

Json to_json(const ServedModel& model, int64_t context, int64_t created) {
  Json json = {{"id", model.name},         {"object", "model"},
               {"created", created},       {"owned_by", "stitchcuda"},
               {"max_model_len", context}, {"parent", model.parent.empty() ? Json() : Json(model.parent)},
               {"root", model.path},       {"fingerprint", model.fingerprint}};
  if (model.canary_nats.has_value()) {
    json["canary_nats"] = *model.canary_nats;
  }
  return json;
}

}  // namespace

std::optional<http::Response> Routes::refusal_of(const http::Request& request) const {
  const bool is_from_here = !options_.is_loopback || http::is_local_host(request.header("host"));
  if (!is_from_here || !http::is_allowed_origin(request.header("origin"))) {
    return refused(403, "only programs and pages of this machine may ask");
  }
  const bool needs_token = options_.needs_token || changes_adapters(request.path);
  if (request.path != "/healthz" && needs_token &&
      !http::is_authorized(request.header("authorization"), options_.token)) {
    http::Response response = refused(401, "send the token: Authorization: Bearer TOKEN");
    response.headers = {{"WWW-Authenticate", "Bearer"}};
    return response;
  }
  return std::nullopt;
}

void Routes::answer(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  if (const auto refusal = refusal_of(request); refusal.has_value()) {
    return exchange.answer(*refusal);
  }
  const bool is_chat = request.path == "/v1/chat/completions";
  if (is_chat || request.path == "/v1/completions") {
    return request.method == "POST" ? complete(exchange, is_chat) : exchange.answer(not_allowed("POST"));
  }
  if (changes_adapters(request.path)) {
    return exchange.answer(request.method == "POST" ? change_adapter(exchange, request.path == "/v1/load_lora_adapter")
                                                    : not_allowed("POST"));
  }
  if (request.path != "/v1/models" && request.path != "/healthz") {
    return exchange.answer(
        refused(404, "there is no such route: ask /v1/chat/completions, /v1/completions, /v1/models"));
  }
  exchange.answer(request.method != "GET" ? not_allowed("GET")
                  : request.path == "/v1/models"
                      ? models()
                      : http::Response{.body = "ok\n", .content_type = "text/plain", .headers = {}});
}

http::Response Routes::models() const {
  Json list = Json::array();
  for (const ServedModel& model : engine_.models()) {
    list.push_back(to_json(model, text_.context, options_.created));
  }
  return json_response({{"object", "list"}, {"data", std::move(list)}});
}

Result<AnswerHead> Routes::head_of(const CompletionRequest& request) const {
  std::string names;
  for (const ServedModel& model : engine_.models()) {
    if (model.name == request.model) {
      return AnswerHead{.id = fmt::format("{}-{:016x}", request.is_chat() ? "chatcmpl" : "cmpl", drawn_seed()),
                        .created = static_cast<int64_t>(std::time(nullptr)),
                        .model = model.name,
                        .fingerprint = model.fingerprint,
                        .is_chat = request.is_chat()};
    }
    names += (names.empty() ? "" : ", ") + model.name;
  }
  constexpr size_t kMostShown = 80;
  return failure(ErrorCode::kUsage,
                 fmt::format("there is no model '{}'; there are {}", printable_line(request.model, kMostShown), names));
}

void Routes::complete(http::Exchange& exchange, bool is_chat) {
  const Result<Json> body = parse_json(exchange.request().body, "the body");
  if (!body.has_value()) {
    return exchange.answer(refused(400, body.error().message));
  }
  Result<CompletionRequest> request = is_chat ? read_chat_request(*body) : read_text_request(*body);
  if (!request.has_value()) {
    return exchange.answer(refused(request.error()));
  }
  const Result<AnswerHead> head = head_of(*request);
  if (!head.has_value()) {
    return exchange.answer(refused(404, head.error().message));
  }
  Result<Drawing> drawing = Drawing::prepare(text_, std::move(request).value());
  if (!drawing.has_value()) {
    return exchange.answer(refused(drawing.error()));
  }
  const auto job = std::make_shared<Job>(engine_, masks_, std::move(drawing).value());  // shared with its thread
  if (!scheduler_.push(job)) {
    return exchange.answer(too_many(options_.limits.max_waiting));
  }
  return job->drawing().request().streams ? stream(exchange, *job, *head) : answer_whole(exchange, *job, *head);
}

std::vector<ToldChoice> Routes::told_choices(const Job& job) const {
  const bool echoes = job.drawing().request().echoes;
  std::vector<ToldChoice> told;
  for (const Choice& choice : job.end()->choices) {
    ToldChoice one{.index = told.size(), .is_stopped = choice.is_stopped};
    one.tokens = echoes ? job.drawing().prompt() : TokenIds();
    one.text = text_.tokenizer.decode(one.tokens, true) + choice.text;
    one.tokens.insert(one.tokens.end(), choice.tokens.begin(), choice.tokens.end());
    if (echoes) {
      one.log_probs = {std::numeric_limits<float>::quiet_NaN()};
    }
    const std::vector<float>& log_probs = echoes ? job.end()->scores : choice.log_probs;
    one.log_probs.insert(one.log_probs.end(), log_probs.begin(), log_probs.end());
    for (const int64_t token : one.tokens) {
      one.token_texts.emplace_back(text_.tokenizer.bytes_of(token));
    }
    told.push_back(std::move(one));
  }
  return told;
}

void Routes::answer_whole(http::Exchange& exchange, Job& job, const AnswerHead& head) {
  while (!job.wait(kLook).has_ended) {
    if (exchange.stop().is_wished()) {
      job.give_up();
      return exchange.answer(refused(503, "the server ends"));
    }
    if (exchange.is_client_gone()) {
      return job.give_up();
    }
  }
  if (!job.end().has_value()) {
    return exchange.answer(refused(job.end().error()));
  }
  exchange.answer(json_response(
      whole_answer(head, job.drawing().request(), job.drawing().prompt(), told_choices(job), answer_tokens_of(job))));
}

// The head is sent with the first text, so that what goes wrong before it has a status of its own; or after a silence.
void Routes::stream(http::Exchange& exchange, Job& job, const AnswerHead& head) {
  const CompletionRequest& request = job.drawing().request();
  bool has_begun = false;
  const auto send = [&](const std::string& text) {
    if (!has_begun) {
      has_begun = true;
      std::string first;
      for (int64_t i = 0; i < request.sampling.count; ++i) {
        first += first_event(head, request, job.drawing().prompt(), static_cast<size_t>(i));
      }
      return exchange.begin_stream({.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}}) &&
             exchange.send(first + text);
    }
    return exchange.send(text);
  };
  auto last_sent = std::chrono::steady_clock::now();
  for (bool has_ended = false; !has_ended;) {
    const Job::News news = job.wait(kLook);
    has_ended = news.has_ended;
    if (has_ended && !job.end().has_value() && !has_begun) {
      return exchange.answer(refused(job.end().error()));
    }
    std::string events;
    for (const auto& [choice, text] : news.texts) {
      events += text_event(head, choice, text);
    }
    const auto now = std::chrono::steady_clock::now();
    if (events.empty() && !has_ended && now - last_sent >= kSilence) {
      events = ": waiting\n\n";
    }
    const bool is_over = exchange.stop().is_wished() || exchange.is_client_gone();
    if (is_over || (!events.empty() && !send(events))) {
      return job.give_up();
    }
    last_sent = events.empty() ? last_sent : now;
  }
  std::string events;
  if (!job.end().has_value()) {
    events = error_event(job.end().error().message);
  } else {
    for (const ToldChoice& choice : told_choices(job)) {
      events += last_event(head, request, choice);
    }
    events += request.wants_usage ? usage_event(head, job.drawing().prompt(), answer_tokens_of(job)) : "";
    events += kDoneEvent;
  }
  if (send(events)) {
    exchange.end_stream();
  }
}

// In its turn: a request that came earlier is answered by the versions that it knew.
http::Response Routes::change_adapter(http::Exchange& exchange, bool loads) {
  const Result<Json> body = parse_json(exchange.request().body, "the body");
  const Result<std::string> name = body.has_value() ? json_string(*body, "lora_name") : failure(body.error());
  const Result<std::string> path = !name.has_value() ? failure(name.error())
                                   : loads           ? json_string(*body, "lora_path")
                                                     : Result<std::string>("");
  if (!path.has_value()) {
    return refused(400, path.error().message);
  }
  const auto change = std::make_shared<AdapterChange>(engine_, *name, loads ? std::optional(*path) : std::nullopt);
  if (!scheduler_.push(change)) {
    return too_many(options_.limits.max_waiting);
  }
  const Result<void> changed = change->wait();
  return changed.has_value() ? models() : refused(changed.error());
}

}  // namespace stitch::completions
