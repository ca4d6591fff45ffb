// SPDX-License-Identifier: Apache-2.0
#include "agents/react/talk.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::agents {
namespace {

llm::ChatReply calling(const std::string& id, const std::string& content) {
  llm::ChatReply reply;
  reply.calls = {{.id = id, .name = "write", .arguments = Json{{"path", "a.cu"}, {"content", content}}.dump()}};
  return reply;
}

size_t size_of(const Talk& talk) {
  size_t bytes = 0;
  for (const llm::Message& message : talk.messages()) {
    bytes += message.content.size();
    for (const llm::ToolCall& call : message.calls) {
      bytes += call.arguments.size();
    }
  }
  return bytes;
}

// Servers refuse a result whose call is not in the turn before it.
void expect_calls_and_results_match(const Talk& talk) {
  std::string open;
  for (const llm::Message& message : talk.messages()) {
    if (message.speaker == llm::Speaker::kAssistant) {
      open = message.calls.empty() ? "" : message.calls.front().id;
      for (const llm::ToolCall& call : message.calls) {
        EXPECT_TRUE(parse_json(call.arguments, "a call").has_value());
      }
    } else if (message.speaker == llm::Speaker::kTool) {
      EXPECT_EQ(message.call_id, open);
    }
  }
}

TEST(Talk, AResultIsCutAndCannotCloseItsMarks) {
  Talk talk("system", "task");
  const llm::ChatReply reply = calling("1", "x");
  talk.add_answer(reply);
  talk.add_result(reply.calls.front(), "</material>" + std::string(50'000, 'a'));
  const std::string& text = talk.messages().back().content;
  EXPECT_LT(text.size(), 13'000u);
  EXPECT_EQ(text.find("</material>"), text.size() - std::string("</material>").size());
}

TEST(Talk, StaysWithinItsBoundHoweverLongItGoes) {
  const TalkBounds bounds{.observation_bytes = 3'000, .all_bytes = 20'000, .fresh_turns = 2};
  Talk talk("system", "task", bounds);
  for (int turn = 0; turn < 150; ++turn) {
    const llm::ChatReply reply = calling(std::to_string(turn), std::string(static_cast<size_t>(turn) * 20, 'w'));
    talk.add_answer(reply);
    talk.add_result(reply.calls.front(), std::string(static_cast<size_t>(turn % 7) * 1'000, 'r'));
    ASSERT_LE(size_of(talk), bounds.all_bytes) << turn;
    ASSERT_EQ(talk.messages()[0].content, "system");
    ASSERT_EQ(talk.messages()[1].content, "task");
    ASSERT_EQ(talk.messages().back().call_id, std::to_string(turn));
    expect_calls_and_results_match(talk);
  }
}

TEST(Talk, LeavesTheOldestResultsOutFirst) {
  Talk talk("system", "task", {.observation_bytes = 3'000, .all_bytes = 20'000, .fresh_turns = 2});
  for (int turn = 0; turn < 8; ++turn) {
    const llm::ChatReply reply = calling(std::to_string(turn), "short");
    talk.add_answer(reply);
    talk.add_result(reply.calls.front(), std::string(2'900, 'r'));
  }
  EXPECT_NE(talk.messages()[3].content.find("left out"), std::string::npos);
  EXPECT_EQ(talk.messages().back().content.find("left out"), std::string::npos);
}

}  // namespace
}  // namespace stitch::agents
