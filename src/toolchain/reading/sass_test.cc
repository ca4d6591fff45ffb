// SPDX-License-Identifier: Apache-2.0
#include "toolchain/reading/sass.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stitch::toolchain {
namespace {

// As cuobjdump writes an instruction, with its bytes beside and below.
std::string line(const std::string& instruction) {
  return "        /*0000*/                   " + instruction + " ;      /* 0x0000000000057919 */\n" +
         "                                                                      /* 0x000e2e0000002100 */\n";
}

std::string kernel(const std::string& name, const std::vector<std::string>& instructions) {
  std::string text = "\t\tFunction : " + name + "\n\t.headerflags\t@\"EF_CUDA_SM90\"\n";
  for (const std::string& instruction : instructions) {
    text += line(instruction);
  }
  return text + line("EXIT") + line("NOP");
}

std::vector<std::string> told(const std::string& text) {
  std::vector<std::string> messages;
  for (const SourceFact& fact : sass_facts(text)) {
    messages.push_back((fact.audit ? "audit " : "") + fact.message());
  }
  return messages;
}

using Messages = std::vector<std::string>;

TEST(Sass, AnOrdinaryKernelSaysNothing) {
  EXPECT_EQ(told(kernel("add", {"S2R R5, SR_TID.X", "LDG.E R2, desc[UR4][R2.64]", "@!P0 FADD R5, R2, R2",
                                "STG.E desc[UR4][R4.64], R5"})),
            Messages{});
}

TEST(Sass, WhatWritesWithoutReadingIsTold) {
  EXPECT_EQ(told(kernel("ones", {"HFMA2.MMA R7, -RZ, RZ, 1.875, 0", "STG.E desc[UR4][R2.64], R7"})),
            Messages{"ones: reads no memory: what it writes does not depend on any input"});
}

TEST(Sass, WhatWritesNothingIsWorthALook) {
  EXPECT_EQ(told(kernel("decoy", {"LDG.E R2, desc[UR4][R2.64]"})),
            Messages{"audit decoy: writes no memory: it computes nothing that anybody sees"});
}

TEST(Sass, ClocksAreFoundWhereverTheyAreRead) {
  for (const char* instruction : {"CS2R R2, SR_CLOCKLO", "@P0 S2UR UR4, SR_GLOBALTIMERLO"}) {
    const std::vector<std::string> work = {instruction, "LDG.E R2, desc[UR4][R2.64]", "FFMA R1, R2, R3, R4",
                                           "STG.E [R2], R1"};
    EXPECT_EQ(told(kernel("timed", work)), Messages{"audit timed: reads a clock"});
  }
}

TEST(Sass, TensorCoresAndAsynchronousCopiesAreNamed) {
  EXPECT_EQ(told(kernel("product", {"LDGSTS.E.128 [R1], desc[UR4][R2.64]", "HGMMA.64x128x16.F32 R24, gdesc[UR4]",
                                    "STG.E [R2], R1", "STL [R1], R2"})),
            (Messages{"product: uses tensor cores", "product: copies into shared memory while it computes",
                      "product: keeps values in local memory: registers were too few, or an array is indexed as it "
                      "runs"}));
}

TEST(Sass, OneKernelOfSeveralArchitecturesIsToldOnce) {
  const std::string one = kernel("ones", {"STG.E desc[UR4][R2.64], R7"});
  EXPECT_EQ(told(one + one).size(), 1U);
}

TEST(Sass, OtherTextIsNothing) {
  for (const char* text : {"", "Function : ", "/*", "\t\tFunction : k\n/*0000*/ ;", "/*0010*/ STG.E ;\n", "/**/"}) {
    const Messages messages = told(text);
    EXPECT_TRUE(std::none_of(messages.begin(), messages.end(), [](const std::string& each) {
      return each.find("clock") != std::string::npos;
    })) << text;
  }
}

}  // namespace
}  // namespace stitch::toolchain
