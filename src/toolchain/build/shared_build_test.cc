// SPDX-License-Identifier: Apache-2.0
// Builds of the same sources that start at once, with a compiler that writes down what it is started on.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/fs/files.h"
#include "toolchain/build/build.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

// Writes down what it is started on, and makes something that begins as an object does. A unit whose text says "wrong"
// does not compile. The first one that finds a file "hang" does not come back.
constexpr const char* kCompiler =
    "#!/bin/sh\n"
    "while [ $# -gt 0 ]; do case \"$1\" in -o) made=\"$2\";; *.cu) unit=\"$1\";; esac; shift; done\n"
    "echo \"${{unit:-${{made##*/}}}}\" >> {0}/log\n"
    "mv {0}/hang {0}/hung 2> /dev/null && exec sleep 600\n"
    "sleep 0.1\n"
    "if [ -n \"$unit\" ] && grep -q wrong \"$unit\"; then echo \"$unit:1:1: error: wrong\" >&2; exit 1; fi\n"
    "printf '\\177ELF' > \"$made\"\n";
constexpr const char* kRewriter =
    "#!/bin/sh\ninto=\"$2\"; shift 2; mkdir -p \"$into\" && cp --parents \"$@\" \"$into\"\n";

class SharedBuildTest : public testing::Test {
 protected:
  void SetUp() override {
    tools.host_compiler = Tool{write_program("compiler", fmt::format(kCompiler, folder.path().string())), "scripted"};
    tools.rewriter = Tool{write_program("rewriter", kRewriter), "scripted"};
    tools.cuda_include = tools.emulator_include = folder.path();
    tools.cache = folder.path() / "cache";
    tools.confinement.mode = sandbox::CageMode::kNone;  // the log lies outside
    request.jobs = 2;
    for (const char* name : {"steps/00.cu", "steps/01.cu", "steps/02.cu"}) {
      request.bundle.files[name] = fmt::format("// {}\n", name);
      request.bundle.units.push_back(name);
    }
  }

  fs::path write_program(const std::string& name, const std::string& text) {
    const fs::path file = folder.path() / name;
    EXPECT_TRUE(write_file(file, text).has_value());
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  // What compilers were started on, one after another.
  std::vector<std::string> log() const {
    std::vector<std::string> lines;
    std::istringstream text(read_file(folder.path() / "log").value());
    for (std::string line; std::getline(text, line);) {
      lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  // In a process of its own, which ends with 0 where `is_right` is told.
  pid_t start(const std::function<bool(const CompileReport&)>& is_right) {
    const pid_t process = ::fork();
    if (process == 0) {
      const Result<CompileReport> report = build(request, tools);
      ::_exit(report.has_value() && is_right(*report) ? 0 : 1);
    }
    return process;
  }

  static int status_of(pid_t process) {
    int status = -1;
    ::waitpid(process, &status, 0);
    return status;
  }

  TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-shared-build").value();
  Toolchain tools;
  BuildRequest request;
};

TEST_F(SharedBuildTest, FourProcessesAtOnceCompileEachUnitOnce) {
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    processes.push_back(start([](const CompileReport& report) { return report.ok; }));
  }
  for (const pid_t process : processes) {
    EXPECT_EQ(status_of(process), 0);
  }
  EXPECT_EQ(log(),
            (std::vector<std::string>{"prelude.h.gch", "program.so", "steps/00.cu", "steps/01.cu", "steps/02.cu"}));
  EXPECT_TRUE(fs::is_empty(tools.cache / "turns"));
}

TEST_F(SharedBuildTest, UnitsOfOneThatIsKilledAreCompiledByAnother) {
  ASSERT_TRUE(write_file(folder.path() / "hang", "").has_value());
  const pid_t killed = start([](const CompileReport&) { return false; });
  while (!fs::exists(folder.path() / "hung")) {
    std::this_thread::yield();
  }
  const pid_t other = start([](const CompileReport& report) { return report.ok; });
  ::kill(killed, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(status_of(killed)));
  EXPECT_EQ(status_of(other), 0);
  EXPECT_EQ(log(), (std::vector<std::string>{"prelude.h.gch", "prelude.h.gch", "program.so", "steps/00.cu",
                                             "steps/01.cu", "steps/02.cu"}));
  EXPECT_TRUE(fs::is_empty(tools.cache / "turns"));
}

TEST_F(SharedBuildTest, AllAreToldWhatDoesNotCompile) {
  request.bundle.files["steps/01.cu"] = "// wrong\n";
  const auto is_told = [](const CompileReport& report) {
    return !report.ok && report.diagnostics.size() == 1 && report.diagnostics[0].file == "steps/01.cu";
  };
  std::vector<pid_t> processes;
  for (int i = 0; i < 3; ++i) {
    processes.push_back(start(is_told));
  }
  for (const pid_t process : processes) {
    EXPECT_EQ(status_of(process), 0);
  }
  const std::vector<std::string> lines = log();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "steps/00.cu"), 1);
}

}  // namespace
}  // namespace stitch::toolchain
