// SPDX-License-Identifier: Apache-2.0
// What a session does in time, with a tool that is as slow as the test wants.
#include "mcp/session/session.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "tools/replies/page.h"

namespace stitch::mcp {
namespace {

using namespace std::chrono_literals;

class Answers final : public Outlet {
 public:
  void send(const Json& message) override {
    const std::lock_guard lock(mutex_);
    all_.push_back(message);
    changed_.notify_all();
  }
  // The answer to `id`, and the notifications before it.
  Json wait_for(const Json& id) {
    std::unique_lock lock(mutex_);
    Json found;
    changed_.wait_for(lock, 20s, [&] {
      for (const Json& message : all_) {
        if (message.contains("id") && message["id"] == id) {
          found = message;
        }
      }
      return !found.is_null();
    });
    return found;
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> all_;
};

// Until it is stopped, or told that the time has come.
struct Slow {
  Stop go;
  std::atomic<int> begun = 0;
  std::atomic<int> stopped = 0;
  std::string text = "done";

  RunTool run() {
    return [this](const std::string&, const Json&, const TellProgress& tell, const Stop& stop) {
      tell("half way");
      ++begun;
      pollfd polled[2] = {{.fd = stop.descriptor(), .events = POLLIN, .revents = 0},
                          {.fd = go.descriptor(), .events = POLLIN, .revents = 0}};
      ::poll(polled, 2, 20'000);
      if (stop.is_wished()) {
        ++stopped;
        return Result<tools::ToolReply>(failure(ErrorCode::kInterrupted, "stopped"));
      }
      return Result<tools::ToolReply>(tools::ToolReply{.text = text});
    };
  }
};

void wait_until_one(const std::atomic<int>& count) {
  for (int round = 0; round < 1000 && count == 0; ++round) {
    ::poll(nullptr, 0, 5);
  }
}

Json call(int id, const std::string& tool, Json arguments) {
  return Json{{"jsonrpc", "2.0"},
              {"id", id},
              {"method", "tools/call"},
              {"params", {{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", {{"progressToken", "t"}}}}}};
}

struct Fixture {
  Slow slow;
  tools::ToolTable table = tools::builtin_tools();
  Server server{
      .table = table, .run = slow.run(), .version = "1", .times = {.between_progress = 50ms, .hand_over = 400ms}};
  std::shared_ptr<Answers> answers = std::make_shared<Answers>();
  Session session{server};

  Fixture() {
    session.take(
        Json{{"jsonrpc", "2.0"}, {"id", 0}, {"method", "initialize"}, {"params", {{"protocolVersion", "2025-06-18"}}}},
        answers);
  }
};

TEST(Session, TellsOfProgressThenHandsOverAJobThatIsWaitedFor) {
  Fixture fixture;
  fixture.session.take(call(1, "runs", Json::object()), fixture.answers);
  const Json first = fixture.answers->wait_for(1);
  EXPECT_EQ(first["result"]["structuredContent"]["outcome"], "under_way");
  EXPECT_EQ(first["result"]["structuredContent"]["progress"], "half way");
  EXPECT_GE(fixture.answers->count(), 4u);  // initialize, some progress, the answer
  fixture.slow.go.wish();
  fixture.session.take(call(2, "job", {{"id", "job-1"}}), fixture.answers);
  const Json last = fixture.answers->wait_for(2);
  EXPECT_EQ(last["result"]["content"][0]["text"], "done");
  EXPECT_EQ(last["result"]["isError"], false);
}

TEST(Session, ACancelledRequestEndsItsCallAndIsNotAnswered) {
  Fixture fixture;
  fixture.session.take(call(1, "runs", Json::object()), fixture.answers);
  wait_until_one(fixture.slow.begun);  // one that is cancelled earlier never begins
  fixture.session.take(Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}},
                       fixture.answers);
  wait_until_one(fixture.slow.stopped);
  EXPECT_EQ(fixture.slow.stopped, 1);
  EXPECT_TRUE(fixture.session.is_initialized());
}

TEST(Session, AJobIsCancelled) {
  Fixture fixture;
  fixture.session.take(call(1, "runs", Json::object()), fixture.answers);
  fixture.answers->wait_for(1);
  fixture.session.take(call(2, "job", {{"id", "job-1"}, {"action", "cancel"}}), fixture.answers);
  const Json answer = fixture.answers->wait_for(2);
  EXPECT_EQ(answer["result"]["content"][0]["text"], "The call was cancelled.");
  EXPECT_EQ(answer["result"]["isError"], true);
}

TEST(Session, ALongResultIsReadInParts) {
  Fixture fixture;
  fixture.slow.text = std::string(40'000, 'x');
  fixture.slow.go.wish();
  fixture.session.take(call(1, "runs", Json::object()), fixture.answers);
  Json structure = fixture.answers->wait_for(1)["result"]["structuredContent"];
  size_t parts = 1;
  while (structure.contains("next_offset")) {
    const int id = static_cast<int>(++parts);
    fixture.session.take(call(id, "job", {{"id", structure["job"]}, {"offset", structure["next_offset"]}}),
                         fixture.answers);
    const Json answer = fixture.answers->wait_for(id);
    EXPECT_LE(answer.dump().size(), tools::kPageBytes + 2'000);
    structure = answer["result"]["structuredContent"];
  }
  EXPECT_EQ(parts, 3u);
}

TEST(Session, ItsEndStopsEverythingAtOnce) {
  auto fixture = std::make_unique<Fixture>();
  for (int id = 1; id <= 6; ++id) {
    fixture->session.take(call(id, "runs", Json::object()), fixture->answers);
  }
  const auto begun = Clock::now();
  fixture.reset();
  EXPECT_LT(Clock::now() - begun, 5s);
}

}  // namespace
}  // namespace stitch::mcp
