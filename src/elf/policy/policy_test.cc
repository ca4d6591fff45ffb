// SPDX-License-Identifier: Apache-2.0
#include "elf/policy/policy.h"

#include <gtest/gtest.h>

#include "elf/testing/made_library.h"

namespace stitch::elf {
namespace {

LibraryFacts honest() {
  LibraryFacts facts;
  facts.exports = {"stitch_program_v1"};
  facts.imports = {{"_Znwm", "libstdc++.so.6"}, {"memset", "libc.so.6"}, {"stitch_emulator_launch", ""}};
  facts.needed = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "libcublasLt.so.13", "libcudart.so.13"};
  facts.constructors = 3;
  facts.is_emulated = true;
  return facts;
}

std::string refusal_with_import(const std::string& name) {
  LibraryFacts facts = honest();
  facts.imports.push_back({name, "libc.so.6"});
  return refusal(facts).value_or("");
}

TEST(PolicyTest, HonestLibrariesPass) {
  EXPECT_EQ(refusal(honest()).value_or(""), "");
  for (const char* name : {"printf", "getenv", "pthread_create", "fopen", "__cxa_guard_acquire", "abort", "forkful",
                           "_ZN6attend4ThatE", "cublasLtMatmul"}) {
    EXPECT_EQ(refusal_with_import(name), "") << name;
  }
}

TEST(PolicyTest, WhatNoKernelNeeds) {
  for (const char* name :
       {"fork", "execve", "system", "ptrace", "process_vm_writev", "socket", "dlopen", "mprotect", "syscall", "kill"}) {
    EXPECT_NE(refusal_with_import(name).find(name), std::string::npos) << name;
  }
}

// The C library gives several names to one function.
TEST(PolicyTest, OtherNamesOfWhatNoKernelNeeds) {
  for (const char* name : {"__fork", "__libc_fork", "_IO_popen", "__libc_system", "prlimit64", "setrlimit64",
                           "__mprotect", "__connect", "__arch_prctl", "iconv_open"}) {
    EXPECT_NE(refusal_with_import(name).find(name), std::string::npos) << name;
  }
  for (const char* name : {"__printf_chk", "fopen64", "_ZN4forkEv", "__libc_single_threaded", "_", "64"}) {
    EXPECT_EQ(refusal_with_import(name), "") << name;
  }
}

// With a version, too: the loader binds such a name to one without.
TEST(PolicyTest, TheWorkerAndTheDeviceThatItEmulates) {
  for (const char* name :
       {"stitch_emulator_set_schedule_seed", "stitch_emulator_forget_launches", "stitch_emulator_keep_apart",
        "_ZN15stitch_emulator8settingsE", "_ZN6stitch6worker7Session3runERKN8nlohmann4jsonE"}) {
    EXPECT_NE(refusal_with_import(name).find("emulated device"), std::string::npos) << name;
  }
  for (const char* name : {"stitch_emulator_launch", "stitch_emulator_fault", "stitch_emulator_assert_failed",
                           "stitch_barrier", "_ZN7needleS6stitch2goEv"}) {
    EXPECT_EQ(refusal_with_import(name), "") << name;
  }
}

TEST(PolicyTest, Torch) {
  for (const char* name : {"_ZN2at4_ops6matmul4callERKNS_6TensorES4_", "_ZNK3c1010TensorImpl5sizesEv",
                           "aoti_torch_cpu_mm_out", "_ZN5torch3jit4loadE", "PyRun_SimpleString"}) {
    EXPECT_NE(refusal_with_import(name), "") << name;
  }
  LibraryFacts facts = honest();
  facts.needed.push_back("libtorch_cuda.so");
  EXPECT_NE(refusal(facts).value_or("").find("libtorch_cuda.so"), std::string::npos);
}

TEST(PolicyTest, LibrariesPathsAndMemory) {
  LibraryFacts facts = honest();
  facts.needed.push_back("libgomp.so.1");
  EXPECT_NE(refusal(facts).value_or("").find("libgomp.so.1"), std::string::npos);
  facts = honest();
  facts.run_paths = {"$ORIGIN"};
  EXPECT_TRUE(refusal(facts).has_value());
  facts = honest();
  facts.has_executable_stack = true;
  EXPECT_TRUE(refusal(facts).has_value());
  facts = honest();
  facts.has_writable_code = true;
  EXPECT_TRUE(refusal(facts).has_value());
  facts = honest();
  facts.changes_its_tables = true;
  EXPECT_TRUE(refusal(facts).has_value());
}

TEST(PolicyTest, FunctionsThatTakeThePlaceOfOthers) {
  for (const char* name : {"cudaEventElapsedTime", "clock_gettime", "malloc", "stitch_emulator_launch"}) {
    LibraryFacts facts = honest();
    facts.exports.push_back(name);
    EXPECT_NE(refusal(facts).value_or("").find(name), std::string::npos);
  }
}

TEST(PolicyTest, NoWorkOnTheDevice) {
  LibraryFacts facts = honest();
  facts.imports.pop_back();
  EXPECT_NE(refusal(facts).value_or("").find("launches no kernel"), std::string::npos);
  facts.has_gpu_code = true;
  EXPECT_FALSE(refusal(facts).has_value());
}

TEST(PolicyTest, FunctionsOfSanitizers) {
  LibraryFacts facts = honest();
  EXPECT_FALSE(sanitizer_refusal(facts).has_value());
  facts.imports.push_back({"__asan_init", ""});
  EXPECT_NE(sanitizer_refusal(facts).value_or("").find("imports __asan_init, by which"), std::string::npos);
}

TEST(PolicyTest, CatchersOfSignals) {
  for (const char* name : {"sigaction", "__sigaction", "signal", "bsd_signal", "__sysv_signal", "sigaltstack"}) {
    EXPECT_NE(refusal_with_import(name).find("catches signals"), std::string::npos) << name;
  }
  EXPECT_EQ(refusal_with_import("raise"), "");
}

TEST(PolicyTest, TheCudaRuntimeItself) {
  LibraryFacts facts = honest();
  facts.imports = {{"dlopen", "libc.so.6"}, {"socket", "libc.so.6"}, {"syscall", "libc.so.6"}};
  facts.has_gpu_code = true;
  EXPECT_FALSE(refusal(facts).has_value());
  EXPECT_TRUE(refusal(facts, CudaRuntime::kApart).has_value());
  facts.imports.push_back({"execve", "libc.so.6"});
  EXPECT_TRUE(refusal(facts).has_value());
}

}  // namespace
}  // namespace stitch::elf
