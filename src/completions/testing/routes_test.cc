// SPDX-License-Identifier: Apache-2.0
// Who is answered, what happens while an answer takes long, and how it ends.
#include "completions/routes/routes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "base/json/json.h"
#include "base/process/descriptor.h"
#include "completions/testing/small_server.h"
#include "http/client/client.h"
#include "http/server/serve.h"

namespace stitch::completions::testing {
namespace {

constexpr int64_t kContext = 256;
constexpr const char* kChat = "/v1/chat/completions";

class CompletionRoutes : public ::testing::Test {
 protected:
  Routes& routes() {
    if (routes_ == nullptr) {
      routes_ = std::make_unique<Routes>(engine_, text_, options_);
    }
    return *routes_;
  }

  http::Response ask(http::Request request) {
    RecordedExchange exchange(std::move(request));
    routes().answer(exchange);
    return exchange.head();
  }

  std::future<void> ask_beside(RecordedExchange& exchange) {
    Routes* routes = &this->routes();
    return std::async(std::launch::async, [routes, &exchange] { routes->answer(exchange); });
  }

  static std::string body(const Json& members = Json::object()) { return chat_body(members).dump(); }

  const ModelText text_ = text_of_bytes(kContext);
  ScriptedEngine engine_{text_};
  RouteOptions options_{.token = "secret"};
  std::unique_ptr<Routes> routes_;  // last: its thread uses the others
};

std::string header_of(const http::Response& response, const std::string& name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) {
      return value;
    }
  }
  return "";
}

TEST_F(CompletionRoutes, PagesAndStrangersAreNotAnswered) {
  http::Request request = post(kChat, body());
  request.headers["origin"] = "https://example.com";
  EXPECT_EQ(ask(request).status, 403);
  request = post(kChat, body());
  request.headers["host"] = "example.com";
  EXPECT_EQ(ask(request).status, 403);
  request = post(kChat, body());
  request.headers.erase("authorization");
  EXPECT_EQ(ask(request).status, 200);
  request.path = "/v1/load_lora_adapter";
  EXPECT_EQ(ask(request).status, 401);
  request.path = kChat;
  routes_.reset();
  options_.needs_token = true;
  EXPECT_EQ(ask(request).status, 401);
  EXPECT_EQ(ask(post(kChat, body())).status, 200);
}

TEST_F(CompletionRoutes, OtherRoutesMethodsAndBodies) {
  EXPECT_EQ(ask(post("/v1/embeddings", "{}")).status, 404);
  EXPECT_EQ(ask(post("/v1/models", "{}")).status, 405);
  EXPECT_EQ(ask(post(kChat, "{")).status, 400);
  http::Request request = post(kChat, "");
  request.method = "GET";
  const http::Response response = ask(request);
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(header_of(response, "Allow"), "POST");
  request.path = "/healthz";
  EXPECT_EQ(ask(request).body, "ok\n");
}

TEST_F(CompletionRoutes, AdaptersComeAndGo) {
  http::Request list{.method = "GET", .path = "/v1/models", .headers = {{"host", "localhost"}}};
  const Json models = Json::parse(ask(list).body)["data"];
  ASSERT_EQ(models.size(), 1U);
  EXPECT_EQ(models[0]["id"], "m");
  EXPECT_EQ(models[0]["max_model_len"], kContext);
  const http::Response loaded = ask(post("/v1/load_lora_adapter", R"({"lora_name":"v2","lora_path":"a"})"));
  EXPECT_EQ(Json::parse(loaded.body)["data"][1]["parent"], "m");
  engine_.write("x");
  const Json answer = Json::parse(ask(post(kChat, body({{"model", "v2"}}))).body);
  EXPECT_EQ(answer["model"], "v2");
  EXPECT_EQ(answer["system_fingerprint"], "g");
  EXPECT_EQ(ask(post("/v1/load_lora_adapter", R"({"lora_name":"v3"})")).status, 400);
  EXPECT_EQ(ask(post("/v1/unload_lora_adapter", R"({"lora_name":"none"})")).status, 400);
  EXPECT_EQ(ask(post("/v1/unload_lora_adapter", R"({"lora_name":"v2"})")).status, 200);
  EXPECT_EQ(ask(post(kChat, body({{"model", "v2"}}))).status, 404);
}

// One is under way, and of two more one waits: the other is told to come again.
TEST_F(CompletionRoutes, MoreThanMayWaitAreToldToComeAgain) {
  options_.limits = {.max_waiting = 1, .max_rows = 1};
  engine_.write("a");
  engine_.write_without_end();
  RecordedExchange first(post(kChat, body()));
  std::future<void> first_end = ask_beside(first);
  ASSERT_TRUE(comes([&] { return engine_.is_drawing(); }));
  RecordedExchange second(post(kChat, body()));
  RecordedExchange third(post(kChat, body()));
  std::future<void> second_end = ask_beside(second);
  std::future<void> third_end = ask_beside(third);
  const auto has_ended = [](const std::future<void>& end) {
    return end.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  ASSERT_TRUE(comes([&] { return has_ended(second_end) || has_ended(third_end); }));
  const http::Response refused = has_ended(second_end) ? second.head() : third.head();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(header_of(refused, "Retry-After"), "5");
  EXPECT_EQ(Json::parse(refused.body)["error"]["message"], "1 requests wait: come again later");
  for (RecordedExchange* each : {&first, &second, &third}) {
    each->leave();
  }
}

// Whoever comes while another is answered is answered beside it, and one that ends makes room for who waits.
TEST_F(CompletionRoutes, RequestsAreAnsweredTogetherUpToTheLimit) {
  options_.limits.max_rows = 3;
  engine_.write("a");
  engine_.write_without_end();
  RecordedExchange first(post(kChat, body()));
  RecordedExchange twofold(post(kChat, body({{"n", 2}})));
  RecordedExchange third(post(kChat, body()));
  std::future<void> first_end = ask_beside(first);
  ASSERT_TRUE(comes([&] { return engine_.draws_under_way() == 1; }));
  std::future<void> twofold_end = ask_beside(twofold);
  ASSERT_TRUE(comes([&] { return engine_.draws_under_way() == 2; }));
  std::future<void> third_end = ask_beside(third);
  first.leave();
  ASSERT_TRUE(comes([&] { return engine_.ended_draws() == 1 && engine_.draws_under_way() == 2; }));
  twofold.leave();
  third.leave();
  for (std::future<void>* end : {&first_end, &twofold_end, &third_end}) {
    end->get();
  }
  routes_.reset();
  EXPECT_EQ(engine_.most_draws_at_once(), 2) << "three rows, of which one draw has two";
  EXPECT_EQ(engine_.ended_draws(), 3);
}

// More answers than are drawn at once are drawn for by themselves.
TEST_F(CompletionRoutes, ARequestLargerThanTheBatchIsAnsweredAlone) {
  options_.limits.max_rows = 2;
  engine_.write("ab");
  const Json answer = Json::parse(ask(post(kChat, body({{"n", 4}}))).body);
  ASSERT_EQ(answer["choices"].size(), 4U);
  EXPECT_EQ(answer["choices"][3]["message"]["content"], "ab");
}

TEST_F(CompletionRoutes, WhoLeavesCostsNothingMore) {
  engine_.write("a");
  engine_.write_without_end();
  for (const bool streams : {false, true}) {
    RecordedExchange exchange(post(kChat, body({{"stream", streams}})));
    std::future<void> end = ask_beside(exchange);
    ASSERT_TRUE(comes([&] { return engine_.is_drawing(); }));
    exchange.leave();
    end.get();
    EXPECT_TRUE(comes([&] { return !engine_.is_drawing(); })) << "the engine writes for nobody";
  }
  EXPECT_EQ(engine_.ended_draws(), 2);
}

// Whoever waited and left is not drawn for at all.
TEST_F(CompletionRoutes, WhoLeftWhileWaitingIsPassedOver) {
  options_.limits.max_rows = 1;
  engine_.write("a");
  engine_.write_without_end();
  RecordedExchange first(post(kChat, body()));
  std::future<void> first_end = ask_beside(first);
  ASSERT_TRUE(comes([&] { return engine_.is_drawing(); }));
  RecordedExchange second(post(kChat, body()));
  second.leave();
  ask_beside(second).get();
  first.leave();
  first_end.get();
  routes_.reset();  // which does what is left
  EXPECT_EQ(engine_.ended_draws(), 1);
}

TEST_F(CompletionRoutes, TheEndOfTheServerEndsAnswers) {
  engine_.write("a");
  engine_.write_without_end();
  RecordedExchange whole(post(kChat, body()));
  RecordedExchange stream(post(kChat, body({{"stream", true}})));
  std::future<void> whole_end = ask_beside(whole);
  std::future<void> stream_end = ask_beside(stream);
  ASSERT_TRUE(comes([&] { return engine_.is_drawing(); }));
  whole.wish_for_the_end();
  stream.wish_for_the_end();
  whole_end.get();
  stream_end.get();
  EXPECT_EQ(whole.head().status, 503);
  EXPECT_FALSE(stream.is_whole());
}

// Over a socket: a client that closes its connection is noticed although nothing is sent to it.
TEST_F(CompletionRoutes, AClosedConnectionEndsItsAnswer) {
  engine_.write("a");
  engine_.write_without_end();
  Stop stop;
  std::promise<int> told;
  std::future<int> port = told.get_future();
  Routes& served = routes();
  std::thread server([&] {
    EXPECT_TRUE(http::serve(
                    {}, [&](http::Exchange& exchange) { served.answer(exchange); },
                    [&](int listening) { told.set_value(listening); }, stop)
                    .has_value());
  });
  {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port.get()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string asked = body();
    const std::string request =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(asked.size()) +
        "\r\n\r\n" + asked;
    ASSERT_EQ(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
    EXPECT_TRUE(comes([&] { return engine_.is_drawing(); }));
  }
  EXPECT_TRUE(comes([&] { return engine_.ended_draws() == 1; }));
  stop.wish();
  server.join();
}

}  // namespace
}  // namespace stitch::completions::testing
