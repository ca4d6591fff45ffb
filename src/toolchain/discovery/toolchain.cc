// SPDX-License-Identifier: Apache-2.0
#include "toolchain/discovery/toolchain.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/process/child.h"
#include "toolchain/discovery/cuda_folders.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr int kLevelsToOurs = 5;  // from a program of ours up to the folder that holds us
constexpr const char* kCudaRemedy =
    "run `make setup`, or install the CUDA toolkit 13.0 and set CUDA_HOME to its folder";

// The tool, or why it is none: in `problem`, which is empty where there is no such program.
std::optional<Tool> ask_version(const fs::path& program, int64_t timeout_ms, std::string& problem) {
  if (find_program(program.string()).empty()) {
    return std::nullopt;
  }
  const Result<ChildOutput> output = run_child({.arguments = {program.string(), "--version"}}, timeout_ms);
  if (!output.has_value()) {
    problem = output.error().message;
  } else if (output->exit.timed_out) {
    problem = fmt::format("{} did not answer --version within {} s", program.string(), timeout_ms / 1000);
  } else if (output->exit.signal != 0) {
    problem = fmt::format("{} --version was killed by signal {} ({})", program.string(), output->exit.signal,
                          ::strsignal(output->exit.signal));
  } else if (!output->exit.ok()) {
    problem = fmt::format("{} --version ended with status {}", program.string(), output->exit.exit_code);
  } else {
    return Tool{program, output->standard_output};
  }
  return std::nullopt;
}

void find_host_compiler(int64_t timeout_ms, Toolchain& found) {
  for (const char* name : {"g++", "c++"}) {
    std::string problem;
    found.host_compiler = ask_version(name, timeout_ms, problem);
    if (found.host_compiler.has_value()) {
      found.host_compiler_problem.clear();
      return;
    }
    found.host_compiler_problem = found.host_compiler_problem.empty() ? problem : found.host_compiler_problem;
  }
}

// One digest over all files of a folder, names included.
Result<std::string> folder_digest(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  Sha256 hash;
  for (const fs::path& file : files) {
    STITCH_ASSIGN(const std::string text, read_file(file));
    hash.update_field(file.lexically_relative(folder).string());
    hash.update_field(text);
  }
  return hash.finish();
}

fs::path find_emulator_include(const ToolchainOptions& options) {
  std::vector<fs::path> folders = {options.emulator_include};
  if (const char* named = std::getenv("STITCHCUDA_EMULATOR"); named != nullptr) {
    folders.emplace_back(fs::path(named) / "include");
  }
  for (const fs::path& folder : folders_upwards(kLevelsToOurs)) {
    folders.push_back(folder / "share" / "stitchcuda" / "emulator" / "include");
    folders.push_back(folder / "emulator" / "include");
  }
  std::erase_if(folders, [](const fs::path& folder) { return folder.empty(); });
  return first_existing(folders, {"stitch_emulator.h"}).parent_path();
}

Result<void> find_emulator(const ToolchainOptions& options, Toolchain& found) {
  found.emulator_include = find_emulator_include(options);
  if (!found.emulator_include.empty()) {
    STITCH_ASSIGN(found.emulator_identity, folder_digest(found.emulator_include));
  }
  if (const Result<fs::path> rewriter = find_helper_program("stitchcuda-rewrite"); rewriter.has_value()) {
    STITCH_ASSIGN(const std::string bytes, read_file(*rewriter));
    found.rewriter = Tool{*rewriter, sha256_hex(bytes)};
  }
  return {};
}

// A folder with cuda_runtime.h and what that includes: the packages that PyTorch itself installs lack a part.
fs::path find_cuda_include(const std::vector<fs::path>& folders) {
  std::vector<fs::path> includes;
  for (const fs::path& folder : folders) {
    includes.push_back(folder / "include");
    includes.push_back(folder / "targets" / "x86_64-linux" / "include");
  }
  std::erase_if(includes, [](const fs::path& include) {
    std::error_code ignored;
    return !fs::exists(include / "cuda_runtime.h", ignored);
  });
  const fs::path whole = first_existing(includes, {"crt/host_config.h"});
  if (!whole.empty()) {
    return whole.parent_path().parent_path();
  }
  return includes.empty() ? fs::path() : includes.front();
}

void find_cuda(const ToolchainOptions& options, Toolchain& found) {
  const std::vector<fs::path> folders = cuda_folders();
  const fs::path nvcc = first_existing(folders, {"bin/nvcc"});
  if (!nvcc.empty()) {
    found.nvcc = ask_version(nvcc, options.version_timeout_ms, found.nvcc_problem);
  }
  found.cuda_include = find_cuda_include(folders);
  if (const Result<std::string> text = read_file(found.cuda_include / "cuda_runtime_api.h"); text.has_value()) {
    found.cuda_identity = sha256_hex(*text);
  }
  found.cuobjdump = first_existing(folders, {"bin/cuobjdump"});
  found.cuda_static_runtime = first_existing(
      folders, {"lib64/libcudart_static.a", "lib/libcudart_static.a", "targets/x86_64-linux/lib/libcudart_static.a",
                "lib/x86_64-linux-gnu/libcudart_static.a"});
}

Unexpected missing(const std::string& what, const std::string& remedy) {
  return failure(ErrorCode::kEnvironment, what, "", remedy);
}

}  // namespace

fs::path find_cuda_headers() { return find_cuda_include(cuda_folders()); }

Result<fs::path> find_cache(const ToolchainOptions& options) {
  std::vector<fs::path> candidates;
  if (!options.cache.empty()) {
    candidates.push_back(options.cache);
  } else if (const char* named = std::getenv("STITCHCUDA_CACHE"); named != nullptr && *named != '\0') {
    candidates.emplace_back(named);
  } else {
    if (const char* base = std::getenv("XDG_CACHE_HOME"); base != nullptr && *base != '\0') {
      candidates.push_back(fs::path(base) / "stitchcuda");
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
      candidates.push_back(fs::path(home) / ".cache" / "stitchcuda");
    }
    std::error_code ignored;
    candidates.push_back(fs::temp_directory_path(ignored) / fmt::format("stitchcuda-cache-{}", ::getuid()));
  }
  Result<fs::path> last = failure(ErrorCode::kEnvironment, "no folder for the build cache can be written to", "",
                                  "set STITCHCUDA_CACHE to a folder you may write to");
  for (const fs::path& folder : candidates) {
    std::error_code error;
    fs::create_directories(folder, error);
    struct stat status {};
    // Not somebody else's folder, even one that we may write to: what lies in it is loaded and run.
    const bool is_ours = ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
    if (!error && is_ours && ::access(folder.c_str(), W_OK) == 0) {
      return fs::absolute(folder, error);
    }
  }
  return last;
}

Result<void> Toolchain::supports(DeviceKind device) const {
  if (!host_compiler.has_value() && !host_compiler_problem.empty()) {
    return missing(host_compiler_problem,
                   "install g++ 12 or newer again, or put the folder of one that works first on PATH");
  }
  if (!host_compiler.has_value()) {
    return missing("no C++ compiler (g++) was found", "install g++ 12 or newer");
  }
  if (cuda_include.empty()) {
    return missing("the CUDA headers (cuda_runtime.h) were not found", kCudaRemedy);
  }
  if (device == DeviceKind::kCuda) {
    if (!nvcc.has_value() && !nvcc_problem.empty()) {
      return missing(nvcc_problem, kCudaRemedy);
    }
    if (!nvcc.has_value()) {
      return missing("nvcc was not found", kCudaRemedy);
    }
    if (cuda_static_runtime.empty()) {
      return missing("the CUDA runtime library (libcudart_static.a) was not found", kCudaRemedy);
    }
    return {};
  }
  if (!rewriter.has_value()) {
    return missing("the program stitchcuda-rewrite is missing",
                   "build stitchcuda again, or unpack the whole of its archive");
  }
  if (emulator_include.empty()) {
    return missing("the emulator's headers (stitch_emulator.h) were not found",
                   "unpack the whole of stitchcuda's archive, or set STITCHCUDA_EMULATOR to its emulator folder");
  }
  return {};
}

Result<Toolchain> find_toolchain(const ToolchainOptions& options) {
  Toolchain found;
  find_host_compiler(options.version_timeout_ms, found);
  find_cuda(options, found);
  STITCH_TRY(find_emulator(options, found));
  STITCH_ASSIGN(found.cache, find_cache(options));
  found.prebuilt = first_existing(folders_upwards(kLevelsToOurs), {"prebuilt"});
  return found;
}

}  // namespace stitch::toolchain
