// SPDX-License-Identifier: Apache-2.0
// Logs to fingerprints; answers, with the figures of a profile (given), to what is complained of in them; and the
// expert's own answers, which are held against the same rules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "agents/verifier/expert_verifier.h"
#include "agents/verifier/feedback_text.h"
#include "agents/verifier/fingerprint.h"
#include "base/json/json.h"
#include "base/testing/case_file.h"

namespace stitch::agents {
namespace {

std::string shown(const std::variant<Feedback, std::vector<std::string>>& read) {
  if (const auto* feedback = std::get_if<Feedback>(&read); feedback != nullptr) {
    return "taken: " + feedback_to_json(*feedback).dump() + "\n";
  }
  std::string text;
  for (const std::string& each : std::get<std::vector<std::string>>(read)) {
    text += each + "\n";
  }
  return text;
}

std::vector<Figure> figures_in(const std::string& text) {
  std::vector<Figure> figures;
  std::istringstream words(text);
  for (Figure each; words >> each.name >> each.value;) {
    figures.push_back(each);
  }
  return figures;
}

// "NAME us floor limiter" a line, or "OUTCOME message".
Feedback expert_in(const std::string& text) {
  const std::string first = text.substr(0, text.find(' '));
  if (const std::optional<Outcome> outcome = from_string<Outcome>(first); outcome.has_value()) {
    return expert_feedback(*outcome, text.substr(first.size() + 1, text.find('\n') - first.size() - 1));
  }
  std::vector<StepFacts> steps;
  std::istringstream words(text);
  std::string limiter;
  for (StepFacts each; words >> each.step >> each.us >> each.floor_us >> limiter;) {
    each.limiter = from_string<Limiter>(limiter).value();
    steps.push_back(each);
  }
  return expert_feedback(steps);
}

std::string run_case(const testing::CaseFile& one) {
  if (one.run == "fingerprint") {
    return fingerprint(one.input);
  }
  if (one.run == "feedback") {
    return shown(feedback_from_text(one.input, figures_in(one.given)));
  }
  const Feedback feedback = expert_in(one.input);
  const bool is_issue = feedback.issue.has_value();
  return shown(feedback_from_text(feedback_to_json(feedback).dump(),
                                  is_issue ? std::vector<Figure>() : feedback.bottleneck->figures));
}

class VerifierCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(VerifierCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, VerifierCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/agents/testdata/verifier")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::agents
