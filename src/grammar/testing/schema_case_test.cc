// SPDX-License-Identifier: Apache-2.0
// A schema, and texts that begin it, keep to it, or do not. In texts \xE2 stands for that byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "grammar/automaton/automaton.h"
#include "grammar/schema/read_schema.h"

namespace stitch::grammar {
namespace {

std::string unescaped(const std::string& text) {
  std::string bytes;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\\x") == 0) {
      bytes += static_cast<char>(std::stoi(text.substr(at + 2, 2), nullptr, 16));
      at += 3;
    } else {
      bytes += text[at];
    }
  }
  return bytes;
}

// The bytes that may follow, printable ones alone.
std::string following(Automaton& automaton, StateId state) {
  std::string bytes;
  for (int byte = 0x21; byte < 0x7F; ++byte) {
    bytes += automaton.step(state, static_cast<uint8_t>(byte)) == kDead ? "" : std::string(1, static_cast<char>(byte));
  }
  return bytes.size() > 40 ? "any" : bytes.empty() ? "nothing" : bytes;
}

std::string told(Automaton& automaton, const std::string& text) {
  StateId state = kStart;
  for (size_t at = 0; at < text.size(); ++at) {
    const StateId next = automaton.step(state, static_cast<uint8_t>(text[at]));
    if (next == kDead) {
      return fmt::format("no, at byte {}: {} may follow", at, following(automaton, state));
    }
    state = next;
  }
  return fmt::format("{}; {} may follow", automaton.may_end(state) ? "yes" : "begins", following(automaton, state));
}

std::string run_case(const stitch::testing::CaseFile& one) {
  const Result<Json> schema = parse_json(one.input, "the schema");
  if (!schema.has_value()) {
    return schema.error().message;
  }
  const Result<Grammar> grammar = read_schema(*schema);
  if (!grammar.has_value()) {
    return "refused: " + grammar.error().message;
  }
  Automaton automaton(*grammar);
  std::string answer;
  std::istringstream lines(one.given);
  for (std::string line; std::getline(lines, line);) {
    answer += fmt::format("{}  -> {}\n", line, told(automaton, unescaped(line)));
  }
  return answer;
}

class SchemaCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(SchemaCase, ComesToWhatIsExpected) { EXPECT_EQ(stitch::testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, SchemaCase,
                         ::testing::ValuesIn(stitch::testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                         "/src/grammar/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::grammar
