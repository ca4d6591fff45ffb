// SPDX-License-Identifier: Apache-2.0
// Faults, one a line, to what is told of them and how long is waited before each retry.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/case_file.h"
#include "llm/retry/fault.h"

namespace stitch::llm {
namespace {

constexpr int64_t kNow = 1'795'521'600;  // Tue, 24 Nov 2026 12:00:00 GMT

std::string waits(const Fault& fault, double chance) {
  std::string text;
  for (int64_t retries = 0;; ++retries) {
    const std::optional<int64_t> wait = wait_before_retry({}, fault, retries, chance);
    if (!wait.has_value()) {
      return text.empty() ? "never tried again" : "waits" + text;
    }
    text += fmt::format(" {}", *wait);
  }
}

// "429 120 | body": status, Retry-After (or -), body. "broken", "slow", "long": without an answer.
Fault fault_in(const std::string& line) {
  if (line == "broken" || line == "slow" || line == "long") {
    const FaultKind kind = line == "broken" ? FaultKind::kBroken
                           : line == "slow" ? FaultKind::kTooSlow
                                            : FaultKind::kTooLong;
    return {.kind = kind, .message = line};
  }
  const size_t bar = line.find(" | ");
  Fault fault = fault_of_response(std::stoi(line), line.substr(bar + 3));
  fault.retry_after_ms = retry_after_ms(line.substr(4, bar - 4), kNow);
  return fault;
}

std::string run_case(const testing::CaseFile& one) {
  std::string text;
  std::istringstream lines(one.input);
  for (std::string line; std::getline(lines, line);) {
    const Fault fault = fault_in(line);
    const Error error = error_of(fault, "http://x/v1");
    text += fmt::format("{}; {} ({}, {})\n", waits(fault, one.given.empty() ? 0 : std::stod(one.given)), error.message,
                        to_string(error.code), error.remedy);
  }
  return text;
}

class RetryCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(RetryCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, RetryCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/llm/testdata/retry")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::llm
