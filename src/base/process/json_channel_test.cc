// SPDX-License-Identifier: Apache-2.0
#include "base/process/json_channel.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch {
namespace {

// A helper in Python that answers every request with `body`, which sees `request` and `send(object)`.
Result<JsonChannel> start_helper(const std::string& body) {
  const std::string script =
      "import json, os, sys, time\n"
      "channel = os.fdopen(3, 'r+b', buffering=0)\n"
      "def send(answer): channel.write((json.dumps(answer) + '\\n').encode())\n"
      "for line in os.fdopen(os.dup(3), 'rb'):\n"
      "  request = json.loads(line)\n" +
      body;
  return JsonChannel::start({.arguments = {"python3", "-c", script}});
}

TEST(JsonChannelTest, AnswersProgressAndErrorsTravel) {
  auto channel = start_helper(
      "  send({'id': request['id'], 'progress': 'half way'})\n"
      "  if request['verb'] == 'fail': send({'id': request['id'], 'error': {'code': 'program_invalid',"
      " 'sentence': 'no Model', 'place': 'a.py:3', 'remedy': 'add one'}})\n"
      "  else: send({'id': request['id'], 'ok': request['arguments']})\n");
  ASSERT_TRUE(channel.has_value());
  std::string progress;
  const auto answer =
      channel->request("echo", Json{{"x", 5}}, 20000, [&](const std::string& text) { progress = text; });
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ((*answer)["x"], 5);
  EXPECT_EQ(progress, "half way");
  const auto refused = channel->request("fail", Json::object(), 20000);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kProgramInvalid);
  EXPECT_EQ(refused.error().location, "a.py:3");
  EXPECT_TRUE(channel->request("echo", Json::object(), 20000).has_value());
}

TEST(JsonChannelTest, ADeadHelperIsASentenceWithItsLastWords) {
  auto channel = start_helper("  sys.exit('the disk is full')\n");
  const auto answer = channel->request("echo", Json::object(), 20000);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(answer.error().message, "python3 ended with status 1 before it answered: the disk is full");
  EXPECT_FALSE(channel->request("echo", Json::object(), 20000).has_value());
}

TEST(JsonChannelTest, ALateAnswerIsATimeout) {
  auto channel = start_helper("  time.sleep(60)\n");
  const auto answer = channel->request("echo", Json::object(), 200);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
}

TEST(JsonChannelTest, GarbageIsAnError) {
  auto channel = start_helper("  channel.write(b'garbage\\n')\n");
  EXPECT_FALSE(channel->request("echo", Json::object(), 20000).has_value());
}

TEST(JsonChannelTest, MuchPrintingDoesNotBlockEitherSide) {
  auto channel = start_helper("  print('x' * 3000000, flush=True); send({'id': request['id'], 'ok': 'y' * 3000000})\n");
  const auto answer = channel->request("echo", Json{{"long", std::string(3000000, 'z')}}, 20000);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->get<std::string>().size(), 3000000u);
}

}  // namespace
}  // namespace stitch
