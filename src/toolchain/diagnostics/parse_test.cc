// SPDX-License-Identifier: Apache-2.0
#include "toolchain/diagnostics/parse.h"

#include <gtest/gtest.h>

namespace stitch::toolchain {
namespace {

struct Expected {
  const char* text;
  Severity severity;
  const char* file;
  int line;
  const char* message;
};

TEST(ParseDiagnosticsTest, EveryFormat) {
  const Expected cases[] = {
      {"steps/00_add.cu:12:5: error: 'x' was not declared in this scope", Severity::kError, "steps/00_add.cu", 12,
       "'x' was not declared in this scope"},
      {"./steps/00_add.cu:12: error: textures are not emulated", Severity::kError, "steps/00_add.cu", 12,
       "textures are not emulated"},
      {"kernels/gemm.cuh:3:10: fatal error: nope.h: No such file or directory", Severity::kError, "kernels/gemm.cuh", 3,
       "nope.h: No such file or directory"},
      {"steps/00_add.cu(31): error: identifier \"x\" is undefined", Severity::kError, "steps/00_add.cu", 31,
       "identifier \"x\" is undefined"},
      {"steps/00_add.cu(31): warning #177-D: variable \"y\" was declared but never referenced", Severity::kWarning,
       "steps/00_add.cu", 31, "variable \"y\" was declared but never referenced"},
      {"steps/00_add.cu(2): catastrophic error: cannot open source file \"nope.h\"", Severity::kError,
       "steps/00_add.cu", 2, "cannot open source file \"nope.h\""},
      {"ptxas error   : Entry function '_Z3addPf' uses too much shared data (0x14000 bytes, 0xc000 max)",
       Severity::kError, "steps/00_add.cu", 0,
       "ptxas: Entry function '_Z3addPf' uses too much shared data (0x14000 bytes, 0xc000 max)"},
      {"ptxas /tmp/tmpxft_0000_00.ptx, line 27; error   : Arguments mismatch for instruction 'mov'", Severity::kError,
       "steps/00_add.cu", 0, "ptxas: Arguments mismatch for instruction 'mov'"},
      {"/usr/bin/ld: a.o: multiple definition of `step_00'", Severity::kError, "steps/00_add.cu", 0,
       "linker: a.o: multiple definition of `step_00'"},
  };
  for (const Expected& expected : cases) {
    const auto parsed = parse_diagnostics(expected.text, "steps/00_add.cu");
    ASSERT_EQ(parsed.size(), 1u) << expected.text;
    EXPECT_EQ(parsed[0].severity, expected.severity) << expected.text;
    EXPECT_EQ(parsed[0].file, expected.file);
    EXPECT_EQ(parsed[0].line, expected.line);
    EXPECT_EQ(parsed[0].message, expected.message);
  }
}

TEST(ParseDiagnosticsTest, OtherLinesAreLeftOut) {
  const char* text =
      "In file included from steps/00_add.cu:3:\n"
      "    3 | int x = y;\n"
      "      |         ^\n"
      "1 error detected in the compilation of \"steps/00_add.cu\".\n"
      "\n";
  EXPECT_TRUE(parse_diagnostics(text, "steps/00_add.cu").empty());
  EXPECT_TRUE(parse_diagnostics(std::string(3000000, 'x'), "steps/00_add.cu").empty());
}

}  // namespace
}  // namespace stitch::toolchain
