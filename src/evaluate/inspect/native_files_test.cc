// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/native_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/fs/files.h"
#include "elf/testing/made_library.h"

namespace stitch::evaluate {
namespace {

namespace fs = std::filesystem;

class NativeFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::make("native-files");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(std::move(*made));
  }

  void write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_->path() / name).parent_path());
    ASSERT_TRUE(write_file(folder_->path() / name, bytes).has_value());
  }

  NativeFiles inspected() {
    auto files = inspect_native_files(folder_->path());
    EXPECT_TRUE(files.has_value());
    return files.has_value() ? *files : NativeFiles{};
  }

  NativeFiles inspected_compiled() {
    auto files = inspect_compiled_files(folder_->path());
    EXPECT_TRUE(files.has_value());
    return files.has_value() ? *files : NativeFiles{};
  }

  std::optional<TemporaryDirectory> folder_;
};

// A module of Python that starts kernels by the driver, as Triton's compiler makes them.
std::string launcher(const std::string& more = "") {
  return elf::testing::compiled_library(R"(
extern "C" {
void* PyModule_Create2(void*, int);
int cuLaunchKernel(void*, unsigned, unsigned);
void* dlopen(const char*, int);
void* dlsym(void*, const char*);
void* PyInit_launcher() {
  cuLaunchKernel(dlsym(dlopen("libcuda.so.1", 1), "cuLaunchKernelEx"), 1, 1);
  return PyModule_Create2(nullptr, 1013);
}
})" + more,
                                        {"-nostdlib", "-lc"});
}

// An extension of PyTorch that calls `function`, which takes nothing.
std::string extension(const std::string& declaration, const std::string& call) {
  return elf::testing::compiled_library(
      declaration + "extern \"C\" void cudaLaunchKernel(); extern \"C\" void run() { cudaLaunchKernel(); " + call +
          " }",
      {"-nostdlib"});
}

std::string harmless() {
  elf::testing::MadeLibrary library = elf::testing::made_library();
  std::memcpy(library.strings + 11, "free", 4);  // in the place of fork
  return elf::testing::bytes_of(library);
}

// The rest of such a name would be a path of its own in the list of what may be loaded.
TEST_F(NativeFilesTest, ALineBreakInANameIsRefused) {
  write("harmless\ntmp/mine.so", elf::testing::compiled_library("int one() { return 1; }"));
  const NativeFiles files = inspected();
  ASSERT_TRUE(files.refusal.has_value());
  EXPECT_EQ(files.refusal->kind, VerdictKind::kBuildFailed);
  EXPECT_TRUE(files.libraries.empty());
}

TEST_F(NativeFilesTest, FindsALibraryByItsBytesWhereverItLies) {
  write("model_new.py", "class ModelNew: pass");
  write("deep/er/weights.bin", harmless());
  write("candidate.so", harmless());
  const NativeFiles files = inspected();
  EXPECT_FALSE(files.refusal.has_value()) << files.refusal->reason;
  ASSERT_EQ(files.libraries.size(), 2u);
  EXPECT_EQ(files.libraries[0].name, "candidate.so");
  EXPECT_EQ(files.libraries[1].name, "deep/er/weights.bin");
  EXPECT_EQ(files.libraries[1].path, fs::canonical(folder_->path() / "deep/er/weights.bin"));
}

TEST_F(NativeFilesTest, RefusesForWhatAProgramOfTheCAbiIsRefusedFor) {
  write("data/table.bin", elf::testing::bytes_of(elf::testing::made_library()));
  const NativeFiles files = inspected();
  ASSERT_TRUE(files.refusal.has_value());
  EXPECT_EQ(files.refusal->kind, VerdictKind::kCheated);
  EXPECT_EQ(files.refusal->reason,
            "data/table.bin: the library imports fork, which starts processes: no kernel needs that");
}

TEST_F(NativeFilesTest, RefusesWhatItCannotVouchFor) {
  std::string cut = harmless();
  cut.resize(cut.size() / 2);
  write("cut.so", cut);
  const NativeFiles files = inspected();
  ASSERT_TRUE(files.refusal.has_value());
  EXPECT_EQ(files.refusal->kind, VerdictKind::kBuildFailed);
}

TEST_F(NativeFilesTest, LeavesAloneWhatNoLoaderTakes) {
  elf::testing::MadeLibrary object = elf::testing::made_library();
  object.header.e_type = ET_REL;
  write("a.o", elf::testing::bytes_of(object));
  elf::testing::MadeLibrary foreign = elf::testing::made_library();
  foreign.header.e_machine = EM_AARCH64;
  write("foreign.so", elf::testing::bytes_of(foreign));
  write("empty.so", "");
  fs::create_symlink("/usr/lib/x86_64-linux-gnu/libc.so.6", folder_->path() / "link.so");
  const NativeFiles files = inspected();
  EXPECT_TRUE(files.libraries.empty());
  EXPECT_FALSE(files.refusal.has_value());
}

TEST_F(NativeFilesTest, WhatWasCompiledForAGpuMayHoldKernelsAndAskForHandles) {
  write("extensions/mine/mine.so", extension("namespace at::cuda { void getCurrentCUDABlasHandle(bool); }",
                                             "at::cuda::getCurrentCUDABlasHandle(true);"));
  write("triton/A7/launcher.so", launcher());
  write("triton/A7/kernel.cubin", "\177ELF of another machine");
  const NativeFiles files = inspected_compiled();
  EXPECT_FALSE(files.refusal.has_value()) << files.refusal->reason;
  ASSERT_EQ(files.libraries.size(), 2u);
  EXPECT_EQ(files.libraries[0].name, "extensions/mine/mine.so");
}

TEST_F(NativeFilesTest, WhatWasCompiledForAGpuMayNotCallPyTorchsKernels) {
  write("extensions/mine/mine.so",
        extension("namespace at::cuda::blas { void gemm(char, long); }", "at::cuda::blas::gemm('n', 1);"));
  NativeFiles files = inspected_compiled();
  ASSERT_TRUE(files.refusal.has_value());
  EXPECT_EQ(files.refusal->kind, VerdictKind::kCheated);
  EXPECT_NE(files.refusal->reason.find("mine.so: the extension imports at::cuda::blas::gemm(char, long)"),
            std::string::npos)
      << files.refusal->reason;
  write("extensions/mine/mine.so", launcher(R"(const char* name = "libtorch_cuda.so";)"));
  files = inspected_compiled();
  ASSERT_TRUE(files.refusal.has_value());
  EXPECT_NE(files.refusal->reason.find("imports dlopen"), std::string::npos) << files.refusal->reason;
}

TEST_F(NativeFilesTest, WhatIsLoadedIsWhatWasInspected) {
  const std::string bytes = launcher();
  write("a.so", bytes);
  std::fstream held(folder_->path() / "a.so", std::ios::binary | std::ios::in | std::ios::out);
  ASSERT_FALSE(inspected_compiled().refusal.has_value());
  held.seekp(0);
  held << "changed afterwards by whoever had it open";
  held.close();
  const auto now = read_file(folder_->path() / "a.so");
  ASSERT_TRUE(now.has_value());
  EXPECT_EQ(*now, bytes);
  EXPECT_EQ(fs::status(folder_->path() / "a.so").permissions() & fs::perms::others_read, fs::perms::others_read);
}

TEST_F(NativeFilesTest, LinksOfTheCandidatesLeadNowhere) {
  const TemporaryDirectory outside = TemporaryDirectory::make("native-files-outside").value();
  ASSERT_TRUE(write_file(outside.path() / "kept", "mine").has_value());
  write("a.so", launcher());
  fs::create_symlink(outside.path() / "kept", folder_->path() / ("a.so." + std::to_string(::getpid()) + ".tmp"));
  fs::create_symlink(outside.path(), folder_->path() / "folder");
  const NativeFiles files = inspected_compiled();
  EXPECT_EQ(files.libraries.size(), 1u);
  EXPECT_EQ(*read_file(outside.path() / "kept"), "mine");
}

}  // namespace
}  // namespace stitch::evaluate
