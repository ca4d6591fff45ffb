// SPDX-License-Identifier: Apache-2.0
// Servers described in words to the dialect that a probe learns: members of a request that they refuse ("refuses
// stream_options"), what their model does ("calls", "prose", "broken_call"), what they say ("usage"), or how they fail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "llm/probe/probe.h"

namespace stitch::llm {
namespace {

class FakeServer {
 public:
  explicit FakeServer(const std::string& words) : words_(words) {}

  std::variant<Completion, Fault> answer(const std::string& text) {
    const Json body = Json::parse(text);
    ++requests_;
    std::istringstream lines(words_);
    std::string line;
    while (std::getline(lines, line)) {
      const std::string member = line.rfind("refuses ", 0) == 0 ? line.substr(8) : "";
      if (!member.empty() && body.contains(member) && body[member] != Json(false)) {
        return fault_of_response(400, "no " + member);
      }
      if (line.rfind("status ", 0) == 0) {
        return fault_of_response(std::stoi(line.substr(7)), "{}");
      }
    }
    Completion done{.first_token_seconds = 0.25};
    done.reply.usage = Usage{.is_estimated = !has("usage")};
    if (body.contains("tools") && (has("calls") || has("broken_call"))) {
      done.reply.calls = {{.name = "ready", .arguments = "{}", .complaint = has("calls") ? "" : "broken"}};
    }
    done.reply.content = body.contains("response_format") && !has("prose") ? R"({"sum": 5})" : "ready";
    return done;
  }
  int requests() const { return requests_; }

 private:
  bool has(const char* word) const { return words_.find(word) != std::string::npos; }
  std::string words_;
  int requests_ = 0;
};

std::string run_case(const testing::CaseFile& one) {
  FakeServer server(one.input);
  const auto end = probe("m", [&](const std::string& body) { return server.answer(body); });
  if (const Fault* fault = std::get_if<Fault>(&end); fault != nullptr) {
    return fmt::format("{} after {} requests", fault->message, server.requests());
  }
  const Json json = to_json(std::get<Probed>(end));
  const Result<Probed> again = probed_from_json(json);
  EXPECT_TRUE(again.has_value() && to_json(*again) == json);
  return fmt::format("{}\n{} requests", json.dump(), server.requests());
}

class ProbeCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ProbeCase, LearnsWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, ProbeCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/llm/testdata/probe")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::llm
