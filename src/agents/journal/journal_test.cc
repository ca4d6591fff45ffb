// SPDX-License-Identifier: Apache-2.0
#include "agents/journal/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "agents/routing/event_json.h"
#include "agents/routing/next.h"
#include "agents/state/state_json.h"
#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

Time us(double time) { return {TimeKind::kExecuted, time, time, time}; }

// A Coder and tools that answer by what they are asked alone.
Event event_for(const State& state, const std::string& answer) {
  const auto attempts = static_cast<double>(state.attempts.size());
  const std::vector<Spending> spent = {{.role = Role::kCoder, .requests = 1, .answer_tokens = 5, .seconds = 0.1}};
  switch (state.activity) {
    case Activity::kPlan:
    case Activity::kReplan:
      return {Planned{{.summary = answer, .sub_tasks = {{.name = "a"}, {.name = "b"}}}}, spent};
    case Activity::kTest:
      return state.attempts.size() % 3 == 1
                 ? Event{Tested{.outcome = Outcome::kWrong, .fingerprint = "f"}}
                 : Event{Tested{.outcome = Outcome::kRight, .step = us(50 - attempts), .program = us(90 - attempts)}};
    case Activity::kProfile:
      return {Profiled{{{"s1", 10}, {"s2", 5}}}};
    case Activity::kRetrieve:
      return {Retrieved{}};
    case Activity::kFeedback:
      return {Advised{{.issue = Issue{"what", answer, "fix"}}}, spent};
    default:
      return {Written{answer, {"s1"}}, spent};
  }
}

bool asks_a_model(Activity activity) {
  return activity != Activity::kTest && activity != Activity::kProfile && activity != Activity::kRetrieve;
}

void log_line(const std::filesystem::path& folder, const std::string& line) {
  const int file = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
  ::close(file);
}

// Goes on with the run of `folder` until it stops. What is sent to the model, and what was kept, stand in a log.
Result<State> go_on(const std::filesystem::path& folder) {
  STITCH_ASSIGN(Journal journal, Journal::open(folder));
  STITCH_ASSIGN(std::optional<State> state, journal.latest());
  if (!state.has_value()) {
    state.emplace();
    state->limits.rounds = 12;
    state->incumbent.program = us(100);
    STITCH_TRY(journal.begin(*state));
  }
  while (state->activity != Activity::kStopped) {
    std::string answer;
    if (asks_a_model(state->activity)) {
      const std::string body = std::to_string(state->decisions.size());
      const std::string key = request_key(Role::kCoder, body, 0);
      STITCH_ASSIGN(const std::optional<std::string> kept, journal.answer_to(key));
      answer = kept.value_or("answer to " + body);
      if (!kept.has_value()) {
        log_line(folder, "sent " + key + "\n");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the model thinks
        STITCH_TRY(journal.keep_answer(key, Role::kCoder, body, answer));
        log_line(folder, "kept " + key + "\n");
      }
    }
    const Event event = event_for(*state, answer);
    STITCH_ASSIGN(State after, next(*state, event));
    STITCH_TRY(journal.append(event, after));
    state = std::move(after);
  }
  return std::move(*state);
}

class JournalTest : public ::testing::Test {
 protected:
  TemporaryDirectory folder_ = TemporaryDirectory::make("journal").value();
};

TEST_F(JournalTest, ARunThatIsKilledAgainAndAgainEndsTheSameAndPaysOnce) {
  const auto whole = TemporaryDirectory::make("journal-whole").value();
  const Result<State> undisturbed = go_on(whole.path());
  ASSERT_TRUE(undisturbed.has_value()) << undisturbed.error().message;
  std::mt19937 chance(7);
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(go_on(folder_.path()).has_value() ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(1000 + chance() % 8000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  }
  EXPECT_GT(killed, 2);
  const Result<State> state = go_on(folder_.path());
  ASSERT_TRUE(state.has_value()) << state.error().message;
  EXPECT_EQ(to_json(*state), to_json(*undisturbed));
  std::istringstream log(read_file(folder_.path() / "log").value());
  std::set<std::string> kept;
  for (std::string verb, key; log >> verb >> key;) {
    EXPECT_FALSE(verb == "sent" && kept.contains(key)) << "an answered request was sent again";
    if (verb == "kept") {
      kept.insert(key);
    }
  }
  EXPECT_GT(kept.size(), 10U);
}

TEST_F(JournalTest, IsReplayedToTheSameDecisionsWithoutAskingAnyone) {
  const Result<State> state = go_on(folder_.path());
  ASSERT_TRUE(state.has_value()) << state.error().message;
  const Result<Journal> journal = Journal::open(folder_.path());
  ASSERT_TRUE(journal.has_value());
  const Result<State> replayed = journal->replay();
  ASSERT_TRUE(replayed.has_value()) << replayed.error().message;
  EXPECT_EQ(to_json(*replayed), to_json(*state));
  EXPECT_GT(journal->event_count().value(), 20);
}

TEST_F(JournalTest, IsWrittenByOneProcess) {
  const Result<Journal> first = Journal::open(folder_.path());
  ASSERT_TRUE(first.has_value());
  const Result<Journal> second = Journal::open(folder_.path());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message, "another process goes on with this run now");
}

TEST_F(JournalTest, ThatIsNoneOfOursIsRefused) {
  ASSERT_TRUE(write_file(folder_.path() / "journal.sqlite", std::string(5000, 'x')).has_value());
  const Result<Journal> journal = Journal::open(folder_.path());
  ASSERT_FALSE(journal.has_value());
  EXPECT_EQ(journal.error().code, ErrorCode::kFileInvalid);
}

TEST_F(JournalTest, WithoutABeginningIsNotReplayed) {
  const Result<Journal> journal = Journal::open(folder_.path());
  ASSERT_TRUE(journal.has_value());
  EXPECT_FALSE(journal->latest().value().has_value());
  EXPECT_EQ(journal->replay().error().message, "the run has not begun");
}

TEST(RequestKey, DependsOnRoleBodyAndNumber) {
  const std::set<std::string> keys = {request_key(Role::kCoder, "b", 0), request_key(Role::kPlanner, "b", 0),
                                      request_key(Role::kCoder, "c", 0), request_key(Role::kCoder, "b", 1)};
  EXPECT_EQ(keys.size(), 4U);
  EXPECT_EQ(request_key(Role::kCoder, "b", 0), request_key(Role::kCoder, "b", 0));
}

TEST(EventJson, OfEveryKindReadsBackTheSame) {
  const Feedback feedback{.bottleneck = Bottleneck{.what = "copies", .figures = {{"hit rate", 0.5}}}};
  const std::vector<EventBody> bodies = {Planned{{.sub_tasks = {{.name = "a", .nodes = {"x"}}}}},
                                         PlanKept{"why"},
                                         Written{"d", {"s1"}},
                                         Declined{"why"},
                                         Unreadable{"why"},
                                         Tested{Outcome::kRight, "", false, us(3), us(4)},
                                         Profiled{{{"s1", 2}}},
                                         Retrieved{},
                                         Advised{feedback},
                                         EnvironmentFailed{"why"},
                                         Resumed{},
                                         NoRoom{"why"}};
  ASSERT_EQ(bodies.size(), std::variant_size_v<EventBody>);
  for (const EventBody& body : bodies) {
    const Json json = to_json(Event{body, {{.role = Role::kPlanner, .seconds = 2}}});
    const Result<Event> again = event_from_json(json);
    ASSERT_TRUE(again.has_value()) << json.dump() << ": " << again.error().message;
    EXPECT_EQ(to_json(*again), json);
  }
}

TEST(EventJson, ThatIsDamagedIsRefused) {
  const auto refusal = [](const char* text) {
    const Result<Event> event = event_from_json(Json::parse(text));
    return event.has_value() ? "" : event.error().message;
  };
  EXPECT_NE(refusal(R"({"event": "entered", "body": {}, "spent": []})").find("no event \"entered\""),
            std::string::npos);
  EXPECT_NE(refusal(R"({"event": "declined", "body": {}, "spent": []})").find("declined.why is missing"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"event": "resumed", "body": {"x": 1}, "spent": []})").find("resumed.x is no member"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"event": "resumed", "body": {}})"), "member \"spent\" is missing");
}

}  // namespace
}  // namespace stitch::agents
