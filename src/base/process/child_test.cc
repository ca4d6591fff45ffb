// SPDX-License-Identifier: Apache-2.0
#include "base/process/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/process/environment.h"
#include "base/process/tree.h"

namespace stitch {
namespace {

ChildOptions shell(const std::string& script) { return {.arguments = {"sh", "-c", script}}; }

ChildOutput run_shell(const std::string& script, int64_t timeout_ms = 20000) {
  Result<ChildOutput> output = run_child(shell(script), timeout_ms);
  EXPECT_TRUE(output.has_value());
  return output.has_value() ? *output : ChildOutput{};
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

// Orphans are reaped by whoever inherits them, a moment after they die.
bool ends_soon(pid_t pid) {
  for (int round = 0; round < 200 && exists(pid); ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return !exists(pid);
}

TEST(ChildTest, CollectsBothOutputsAndTheStatus) {
  const ChildOutput output = run_shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(output.standard_output, "out\n");
  EXPECT_EQ(output.standard_error, "err\n");
  EXPECT_EQ(output.exit.exit_code, 3);
  EXPECT_FALSE(output.exit.ok());
}

TEST(ChildTest, ReportsTheSignal) { EXPECT_EQ(run_shell("kill -SEGV $$").exit.signal, SIGSEGV); }

TEST(ChildTest, StandardInputIsEmpty) { EXPECT_EQ(run_shell("cat; echo end").standard_output, "end\n"); }

TEST(ChildTest, AMissingProgramIsASentence) {
  const Result<ChildOutput> output = run_child({.arguments = {"no-such-program-here"}}, 1000);
  ASSERT_FALSE(output.has_value());
  EXPECT_EQ(output.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(output.error().message, "no-such-program-here was not found");
}

TEST(ChildTest, AFileThatIsNoProgramIsASentence) {
  const Result<ChildOutput> output = run_child({.arguments = {"/etc/passwd"}}, 1000);
  ASSERT_FALSE(output.has_value());
  EXPECT_NE(output.error().message.find("Permission denied"), std::string::npos) << output.error().message;
}

TEST(ChildTest, AMissingFolderIsASentence) {
  ChildOptions options = shell("true");
  options.working_directory = "/no/such/folder";
  EXPECT_FALSE(run_child(options, 1000).has_value());
}

TEST(ChildTest, TimeOutKillsTheWholeTree) {
  const auto before = std::chrono::steady_clock::now();
  const ChildOutput output = run_shell("sleep 60 & echo $!; setsid sleep 61 & echo $!; wait", 300);
  EXPECT_TRUE(output.exit.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
  int first = 0;
  int second = 0;
  ASSERT_EQ(std::sscanf(output.standard_output.c_str(), "%d %d", &first, &second), 2);
  EXPECT_TRUE(ends_soon(first));
  EXPECT_TRUE(ends_soon(second));  // though it has a session of its own
}

TEST(ChildTest, WhatAChildLeavesBehindDoesNotKeepUsWaiting) {
  const auto before = std::chrono::steady_clock::now();
  const ChildOutput output = run_shell("sleep 60 & echo $!");
  EXPECT_TRUE(output.exit.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
  EXPECT_TRUE(ends_soon(std::stoi(output.standard_output)));
}

TEST(ChildTest, LongOutputIsCutAndMarked) {
  const ChildOutput output = run_shell("head -c 20000000 /dev/zero");
  EXPECT_TRUE(output.exit.ok());
  EXPECT_LT(output.standard_output.size(), 9u << 20);
  EXPECT_NE(output.standard_output.find("bytes of output were cut here"), std::string::npos);
}

// Many writers keep a pipe full, however fast it is read.
TEST(ChildTest, OneThatNeverStopsWritingEndsInTime) {
  const auto start = std::chrono::steady_clock::now();
  const ChildOutput output = run_shell("for n in 1 2 3 4 5 6 7 8; do cat /dev/zero & done; wait", 500);
  EXPECT_TRUE(output.exit.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

TEST(ChildTest, OnlyPromisedDescriptorsArrive) {
  const Descriptor leaked(::open("/dev/null", O_RDONLY));  // without close-on-exec, on purpose
  const Descriptor shared(::open("/etc/hostname", O_RDONLY | O_CLOEXEC));
  const Descriptor other(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  ChildOptions options = shell("for f in /proc/self/fd/*; do echo ${f##*/}=$(readlink /proc/$$/fd/${f##*/}); done");
  // Crossed on purpose: each one's number in the child is the other's here.
  options.descriptors = {{shared.get(), other.get()}, {other.get(), shared.get()}};
  const Result<ChildOutput> output = run_child(options, 20000);
  ASSERT_TRUE(output.has_value());
  const std::string& text = output->standard_output;
  EXPECT_NE(text.find(std::to_string(other.get()) + "=/etc/hostname"), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(shared.get()) + "=/dev/zero"), std::string::npos) << text;
  EXPECT_EQ(text.find(std::to_string(leaked.get()) + "=/dev/null"), std::string::npos) << text;
}

TEST(ChildTest, EnvironmentIsAddedAndReplaced) {
  ::setenv("STITCH_TEST_OLD", "old", 1);
  ChildOptions options = shell("echo $STITCH_TEST_OLD $STITCH_TEST_NEW");
  options.environment = {{"STITCH_TEST_OLD", "changed"}, {"STITCH_TEST_NEW", "new"}};
  EXPECT_EQ(run_child(options, 20000)->standard_output, "changed new\n");
}

TEST(ChildTest, OnlyKeptEnvironmentIsHandedOn) {
  ::setenv("STITCH_TEST_SECRET", "secret", 1);
  ::setenv("STITCH_TEST_KEPT", "kept", 1);
  ChildOptions options = shell("echo $STITCH_TEST_SECRET $STITCH_TEST_KEPT $STITCH_TEST_NEW");
  options.kept_environment = {"PATH", "STITCH_TEST_KEPT"};
  options.environment = {{"STITCH_TEST_NEW", "new"}};
  EXPECT_EQ(run_child(options, 20000)->standard_output, "kept new\n");
}

TEST(ChildTest, SecretsAreHandedToWhomTheyAreNamedFor) {
  ::setenv("STITCH_TEST_API_KEY", "sk", 1);
  ::setenv("STITCH_TEST_TOKENIZERS", "plain", 1);
  ChildOptions options = shell("echo $STITCH_TEST_API_KEY $STITCH_TEST_TOKENIZERS");
  EXPECT_EQ(run_child(options, 20000)->standard_output, "plain\n");
  options.kept_environment = names_of_environment({"STITCH_TEST_TOKENIZERS"});
  EXPECT_EQ(run_child(options, 20000)->standard_output, "sk\n");
}

TEST(ChildTest, AddressSpaceIsLimited) {
  ChildOptions options = shell("ulimit -v");
  options.address_space_bytes = 1u << 30;
  EXPECT_EQ(run_child(options, 20000)->standard_output, "1048576\n");
}

TEST(ChildTest, AWorkingDirectoryIsEntered) {
  ChildOptions options = shell("pwd");
  options.working_directory = "/usr";
  EXPECT_EQ(run_child(options, 20000)->standard_output, "/usr\n");
}

TEST(ChildTest, ARunningChildShowsMemoryAndOutputAndDiesWithItsOwner) {
  pid_t pid = 0;
  {
    Result<Child> child = Child::start(shell("echo started >&2; sleep 60"));
    ASSERT_TRUE(child.has_value());
    pid = child->pid();
    std::string text;
    for (int round = 0; round < 500 && text.empty(); ++round) {
      text = child->take_standard_error();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_EQ(text, "started\n");
    EXPECT_TRUE(child->is_running());
    EXPECT_GT(child->resident_bytes(), 0u);
  }
  EXPECT_FALSE(exists(pid));
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);  // no zombie either
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildTest, AMovedChildIsKilledOnce) {
  Result<Child> started = Child::start(shell("sleep 60"));
  ASSERT_TRUE(started.has_value());
  Child child = std::move(started).value();
  EXPECT_TRUE(child.is_running());
  child.kill_tree();
  EXPECT_FALSE(child.is_running());
  EXPECT_EQ(child.wait(0).signal, SIGKILL);
}

TEST(CappedTextTest, KeepsTheEnd) {
  CappedText text(4, CappedText::Keep::kLast);
  text.append("abcdef");
  EXPECT_EQ(text.take(), "[2 bytes of output were cut here]\ncdef");
  EXPECT_EQ(text.take(), "");
}

TEST(HelperProgramTest, AMissingOneIsASentence) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("stitchcuda-helpers-" + std::to_string(::getpid()));
  ASSERT_TRUE(std::filesystem::create_directory(folder));
  ::setenv("STITCHCUDA_LIBEXEC", folder.c_str(), 1);
  for (const char* name : {"libhelper.so", "helper"}) {  // neither is executable, as archives have libraries
    ASSERT_TRUE(std::ofstream(folder / name).is_open());
  }
  EXPECT_TRUE(find_helper_program("libhelper.so").has_value());
  EXPECT_FALSE(find_helper_program("helper").has_value());
  ::unsetenv("STITCHCUDA_LIBEXEC");
  std::filesystem::remove_all(folder);
  const auto missing = find_helper_program("stitchcuda-no-such-helper");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message, "the program stitchcuda-no-such-helper is missing");
}

}  // namespace
}  // namespace stitch
