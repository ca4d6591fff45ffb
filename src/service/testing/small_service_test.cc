// SPDX-License-Identifier: Apache-2.0
#include "service/testing/small_service.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

namespace stitch::service {

const char* const kRightCandidate = R"(echo run >> "$STITCHCUDA_NODE/executions"
case $1 in
  verify) echo '{"verdict": {"kind": "ok", "reason": "21 draws", "detail": ""}, "feedback": "The answer is right.",
                 "candidate": {"class": "clean"}, "measured": null,
                 "score": {"total": 16, "dimensions": [{"name": "Anti-Hacking", "points": 5}]}}' ;;
  score) echo '{"total": 16, "dimensions": [{"name": "Anti-Hacking", "points": 5}]}' ;;
esac
)";

std::string candidate_of(const std::string& kind) {
  return fmt::format(
      "echo '{{\"verdict\": {{\"kind\": \"{0}\", \"reason\": \"so\", \"detail\": \"\"}}, \"feedback\": \"It is {0}.\", "
      "\"candidate\": {{\"class\": \"clean\"}}, \"measured\": null}}'; exit 1\n",
      kind);
}

namespace {

class FakeExchange final : public http::Exchange {
 public:
  FakeExchange(http::Request request, const Stop& stop) : request_(std::move(request)), stop_(stop) {}
  const http::Request& request() const override { return request_; }
  const Stop& stop() const override { return stop_; }
  void answer(const http::Response& response) override { response_ = response; }
  bool begin_stream(const http::Response&) override { return false; }
  bool send(const std::string&) override { return false; }
  void end_stream() override {}
  const http::Response& response() const { return response_; }

 private:
  http::Request request_;
  const Stop& stop_;
  http::Response response_{.status = 0};
};

}  // namespace

SmallService::SmallService() : folder_(TemporaryDirectory::make("stitchcuda-serve").value()) {
  const std::filesystem::path script = folder() / "stitchcuda";
  EXPECT_TRUE(write_file(script, "#!/bin/sh\nexec sh in/candidate/program.cu \"$1\"\n").has_value());
  ::chmod(script.c_str(), 0755);
  ::setenv("STITCHCUDA_NODE", folder().c_str(), 1);
  EXPECT_TRUE(write_file(folder() / "tasks" / "relu.py", "import torch\n").has_value());
  tasks_ = TaskList::read({folder() / "tasks"}).value();
  options_.store_url = "sqlite:" + (folder() / "jobs.db").string();
  options_.artefacts = (folder() / "artefacts").string();
  options_.journal = folder() / "evaluations.db";
  route_options_.token = kToken;
}

SmallService::~SmallService() {
  stop_workers();
  stop();
}

void SmallService::start(const std::function<void(EvaluationsOptions&)>& change) {
  if (change) {
    change(options_);
  }
  evaluations_ = Evaluations::open(options_, tasks_).value();
  routes_ = std::make_unique<Routes>(*evaluations_, tasks_, route_options_);
}

void SmallService::stop() {
  routes_.reset();
  evaluations_.reset();
}

void SmallService::start_workers(int count) {
  const farm::JobPlace place{.program = folder() / "stitchcuda", .artefacts = farm::Artefacts(options_.artefacts)};
  workers_ = std::make_unique<LocalWorkers>(count, options_.store_url, place, [](const std::string&) {});
}

SmallService::Answer SmallService::ask(const std::string& method, const std::string& target, const std::string& body,
                                       const std::string& token) {
  http::Request request{.method = method, .path = {}};
  read_target(target, request);
  request.headers = {{"host", "127.0.0.1:1"}, {"authorization", "Bearer " + token}};
  request.body = body;
  FakeExchange exchange(std::move(request), stop_);
  routes_->answer(exchange);
  const http::Response& response = exchange.response();
  const Result<Json> json = parse_json(response.body, "an answer");
  return {.status = response.status,
          .json = json.has_value() ? *json : Json(),
          .body = response.body,
          .headers = {response.headers.begin(), response.headers.end()}};
}

SmallService::Answer SmallService::post(const Json& request, const std::string& wait) {
  return ask("POST", "/v1/evaluations?wait=" + wait, request.dump());
}

int SmallService::executions() const {
  const Result<std::string> text = read_file(folder() / "executions");
  return text.has_value() ? static_cast<int>(std::count(text->begin(), text->end(), '\n')) : 0;
}

Json SmallService::request(const std::string& request_id, const std::string& code) {
  return {{"schema", kEvaluationSchema},
          {"request_id", request_id},
          {"task", {{"id", "relu"}}},
          {"candidate", {{"format", "completion"}, {"text", "<think>no</think>\n```cuda\n" + code + "```\n"}}}};
}

}  // namespace stitch::service
