// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/fault_message.h"

#include <gtest/gtest.h>

#include <csignal>

namespace stitch::evaluate {
namespace {

TEST(FaultMessageTest, TheEmulatorsSentenceComesFirst) {
  EXPECT_EQ(reported_fault("noise\nstitch-emulator: steps/00_a.cu:7: barrier divergence\nmore\n"),
            "steps/00_a.cu:7: barrier divergence");
}

TEST(FaultMessageTest, AMarkWithoutWordsSaysNothing) {
  EXPECT_EQ(reported_fault("stitch-emulator: \nstitch-emulator:  \t\n"), std::nullopt);
  EXPECT_EQ(reported_fault("stitch-emulator: \nstitch-emulator: a.cu:7: a race\n"), "a.cu:7: a race");
  EXPECT_EQ(reported_fault("==1==ERROR: AddressSanitizer:  on address 0x1\n"), "a fault without a name");
}

TEST(FaultMessageTest, AddressSanitizerNamesTheCandidatesLine) {
  const char* text =
      "=================================================================\n"
      "==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x61 at pc 0x7f bp 0x7e sp 0x7d\n"
      "WRITE of size 4 at 0x61 thread T0\n"
      "    #0 0x7fe8 in stitch_emulator::store(float*) /opt/stitchcuda/emulator/include/stitch_emulator/memory.h:5\n"
      "    #1 0x7fe9 in overrun_kernel(VectorCall) ./program.cu:9\n"
      "    #2 0x7fea in main /src/main.cc:3\n";
  EXPECT_EQ(reported_fault(text), "program.cu:9: heap-buffer-overflow, WRITE of size 4");
}

TEST(FaultMessageTest, UndefinedBehaviourHasItsLine) {
  EXPECT_EQ(reported_fault("./program.cu:9:15: runtime error: shift exponent 40 is too large\n"),
            "program.cu:9: shift exponent 40 is too large");
}

TEST(FaultMessageTest, OtherwiseTheWayItEnded) {
  EXPECT_EQ(fault_message({.signal = SIGSEGV}, ""), "the program was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(fault_message({.exit_code = 3}, "bye\n\n"), "the program ended its process with status 3: bye");
}

TEST(FaultMessageTest, LongLinesDoNoHarm) {
  EXPECT_FALSE(reported_fault(std::string(1 << 20, 'x')).has_value());
  EXPECT_FALSE(reported_fault(std::string("==1==ERROR: AddressSanitizer") + std::string(1 << 20, ' ')).has_value());
}

TEST(FaultMessageTest, TheFiltersSignalIsAProcessPastTheCLibrary) {
  ExitState exit;
  exit.signal = SIGSYS;
  EXPECT_NE(fault_message(exit, "").find("killed for starting a process"), std::string::npos);
}

}  // namespace
}  // namespace stitch::evaluate
