// SPDX-License-Identifier: Apache-2.0
#include "cli/options/command_line.h"

#include <gtest/gtest.h>

#include <functional>
#include <iomanip>
#include <sstream>

#include "base/testing/case_file.h"
#include "cli/options/application.h"
#include "cli/options/reference/help_text.h"

namespace stitch::cli {
namespace {

// Words as a shell splits them, up to a comment or a redirection; "double" and 'single' quotes hold one together.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream stream(line);
  for (int next = 0; next = (stream >> std::ws).peek(), stream.good() && next != '#' && next != '>';) {
    std::string word;
    stream >> std::quoted(word, next == '\'' ? '\'' : '"');
    list.push_back(word);
  }
  return list;
}

Result<CommandLine> parse(const std::string& words) {
  const std::vector<std::string> list = words_of(words);
  std::vector<const char*> pointers;
  for (const std::string& word : list) {
    pointers.push_back(word.c_str());
  }
  return parse_command_line(static_cast<int>(pointers.size()), pointers.data());
}

void for_each_verb(const VerbReference& verb, const std::string& path,
                   const std::function<void(const VerbReference&, const std::string&)>& visit) {
  visit(verb, path);
  for (const VerbReference& below : verb.verbs) {
    for_each_verb(below, path + " " + below.name, visit);
  }
}

// One line of input a command line; what stitchcuda says to it.
std::string said(const testing::CaseFile& file) {
  std::istringstream lines(file.input);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const Result<CommandLine> parsed = parse(line);
    text += parsed.has_value() ? "taken\n" : parsed.error().message + "; " + parsed.error().remedy + "\n";
  }
  return text;
}

TEST(CommandLine, SaysWhatIsWrongWithIt) {
  for (const auto& path : testing::case_files(std::string(STITCH_SOURCE_DIR) + "/src/cli/testdata/usage")) {
    EXPECT_EQ(testing::differences(path, said), "");
  }
}

TEST(CommandLine, EveryExampleIsTaken) {
  for_each_verb(command_reference(), "stitchcuda", [](const VerbReference& verb, const std::string& path) {
    EXPECT_FALSE(verb.examples.empty()) << path;
    for (const std::string& example : verb.examples) {
      const Result<CommandLine> parsed = parse(example);
      EXPECT_TRUE(parsed.has_value()) << example << ": " << parsed.error().message;
    }
  });
}

TEST(CommandLine, HelpOfEveryVerbFitsItsWidth) {
  for_each_verb(command_reference(), "stitchcuda", [](const VerbReference& verb, const std::string& path) {
    for (const int columns : {40, 80, 200}) {
      Terminal terminal;
      terminal.columns = columns;
      const std::string text = help_text(verb, path, terminal);
      EXPECT_NE(text.find("Examples"), std::string::npos) << path;
      for (const OptionReference& option : verb.options) {
        EXPECT_FALSE(option.text.empty()) << path << " " << option.value;
      }
      std::istringstream lines(text);
      for (std::string line; columns >= 80 && std::getline(lines, line);) {
        const bool is_command = line.find("  stitchcuda ") == 0 || line.find("  # ") == 0;
        EXPECT_LE(line.size(), is_command ? 110u : 100u) << line;
      }
    }
  });
}

TEST(CommandLine, HelpOfAVerbIsTheSameBothWays) {
  EXPECT_EQ(parse("stitchcuda help optimize")->help, parse("stitchcuda optimize --help")->help);
  EXPECT_EQ(parse("stitchcuda help")->help, parse("stitchcuda --help")->help);
}

}  // namespace
}  // namespace stitch::cli
