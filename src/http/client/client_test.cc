// SPDX-License-Identifier: Apache-2.0
#include "http/client/client.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "http/server/serve.h"

namespace stitch::http {
namespace {

std::string error_of(const std::string& url) {
  const auto read = read_url(url);
  return read.has_value() ? "" : read.error().message;
}

TEST(Url, HostPortAndPrefix) {
  const Destination plain = read_url("http://127.0.0.1:8940").value();
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, "8940");
  EXPECT_EQ(plain.prefix, "");
  const Destination with_prefix = read_url("http://[::1]:81/a/b/").value();
  EXPECT_EQ(with_prefix.host, "::1");
  EXPECT_EQ(with_prefix.port, "81");
  EXPECT_EQ(with_prefix.prefix, "/a/b");
  EXPECT_EQ(read_url("http://name").value().port, "80");
}

TEST(Url, OthersAreRefused) {
  for (const char* url : {"", "name:80", "https://name", "http://", "http://:80", "http://name:0", "http://name:port",
                          "http://name:123456", "http://na me", "http://name:80\r\nX: y"}) {
    EXPECT_NE(error_of(url), "") << url;
  }
}

// A server of one handler, for as long as it lives.
class Server {
 public:
  explicit Server(Handler handler) : handler_(std::move(handler)) {
    std::promise<int> port;
    auto known = port.get_future();
    thread_ = std::thread([this, told = std::move(port)]() mutable {
      EXPECT_TRUE(serve({}, handler_, [&](int listening) { told.set_value(listening); }, stop_).has_value());
    });
    destination_ = {"127.0.0.1", std::to_string(known.get()), ""};
  }
  ~Server() {
    stop_.wish();
    thread_.join();
  }
  const Destination& destination() const { return destination_; }

 private:
  Handler handler_;
  Stop stop_;
  std::thread thread_;
  Destination destination_{.host = {}};
};

TEST(Client, SendsAndReads) {
  const Server server([](Exchange& exchange) {
    const Request& request = exchange.request();
    exchange.answer({.status = 202,
                     .body = request.method + " " + request.path + " " + request.header("x-name") + " " + request.body,
                     .headers = {{"Retry-After", "7"}}});
  });
  const auto answer = call(server.destination(),
                           {.method = "POST", .target = "/a?wait=1", .body = "{}", .headers = {{"X-Name", "me"}}});
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->status, 202);
  EXPECT_EQ(answer->body, "POST /a me {}");
  bool found = false;
  for (const auto& [name, value] : answer->headers) {
    found = found || (name == "retry-after" && value == "7");
  }
  EXPECT_TRUE(found);
}

TEST(Client, ReadsWhatComesInChunks) {
  const Server server([](Exchange& exchange) {
    exchange.begin_stream({});
    exchange.send("one ");
    exchange.send("two");
    exchange.end_stream();
  });
  EXPECT_EQ(call(server.destination(), {}).value().body, "one two");
}

TEST(Client, NoWholeAnswerIsAnError) {
  const Server server([](Exchange& exchange) {
    if (exchange.request().path == "/late") {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
    }
    exchange.answer({.body = std::string(1000, 'x')});
  });
  const auto late = call(server.destination(), {.target = "/late", .patience = std::chrono::milliseconds(50)});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, ErrorCode::kEnvironment);
  const auto longer = call(server.destination(), {.max_body_bytes = 100});
  EXPECT_FALSE(longer.has_value()) << longer->body.size();
  const auto nobody = call({"127.0.0.1", "1", ""}, {});
  ASSERT_FALSE(nobody.has_value());
  EXPECT_NE(nobody.error().message.find("could not connect"), std::string::npos) << nobody.error().message;
}

}  // namespace
}  // namespace stitch::http
