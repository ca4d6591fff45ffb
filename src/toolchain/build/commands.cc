// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/commands.h"

#include <fmt/format.h>

#include <sstream>

#include "toolchain/source/include_closure.h"

namespace stitch::toolchain {
namespace {

constexpr const char* kEmulatorHeader = "stitch_emulator.h";  // what every emulated unit begins with

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// "sm_90a" -> "90a"
std::string architecture_digits(const std::string& architecture) {
  const size_t underscore = architecture.find('_');
  return underscore == std::string::npos ? architecture : architecture.substr(underscore + 1);
}

void add_include_folders(Words& words) {
  for (const std::string& folder : include_folders()) {
    append(words, {"-I", folder});
  }
}

}  // namespace

const char* const kExports = "{ global: stitch_program_v1; local: *; };\n";

Words compile_flags(const Target& target) {
  if (target.device == DeviceKind::kCuda) {
    Words flags = {"-std=c++20", "-O3", "--expt-relaxed-constexpr"};
    std::istringstream architectures(target.architecture);
    for (std::string architecture; std::getline(architectures, architecture, ',');) {
      const std::string digits = architecture_digits(architecture);
      append(flags, {"-gencode", fmt::format("arch=compute_{},code=sm_{}", digits, digits)});
    }
    append(flags, {"-Xcompiler", "-fPIC"});
    if (target.line_info) {
      flags.push_back("-lineinfo");
    }
    if (target.nvtx) {
      flags.push_back("-DSTITCH_NVTX");
    }
    return flags;
  }
  // No contraction: a fused multiply-add where the source has none would hide or make differences between devices.
  Words flags = {"-std=c++20", "-ffp-contract=off", "-fPIC", "-w"};
  if (target.device == DeviceKind::kChecked) {
    // What compiling costs decides here: all of `undefined` would take twice as long. Stack red zones too are left out:
    // they double the frames of the emulator's small stacks, and `bounds` sees the overruns of local arrays.
    append(flags,
           {"-O1", "-g1", "-fno-omit-frame-pointer", "--param=asan-stack=0", "-fno-sanitize-recover=all",
            "-fsanitize=address,alignment,bounds,bool,integer-divide-by-zero,return,shift,signed-integer-overflow"});
  } else {
    append(flags, {"-O2"});
  }
  return flags;
}

Words compile_command(const Target& target, const Toolchain& tools, const std::filesystem::path& folder,
                      const std::string& unit, const std::filesystem::path& object,
                      const std::filesystem::path& prelude) {
  Words words;
  if (target.device == DeviceKind::kCuda) {
    words = {tools.nvcc->program.string()};
    append(words, compile_flags(target));
    append(words, {"-ccbin", tools.host_compiler->program.string()});
    add_include_folders(words);
    append(words, {"-isystem", tools.cuda_include.string()});
  } else {
    words = {tools.host_compiler->program.string()};
    append(words, compile_flags(target));
    append(words, {fmt::format("-ffile-prefix-map={}=.", folder.string()), "-I", tools.emulator_include.string()});
    add_include_folders(words);
    append(words, {"-isystem", tools.cuda_include.string()});
    append(words, {"-include", prelude.empty() ? kEmulatorHeader : prelude.string(), "-x", "c++"});
  }
  append(words, {"-c", unit, "-o", object.string()});
  return words;
}

Words prelude_command(const Target& target, const Toolchain& tools, const std::filesystem::path& header,
                      const std::filesystem::path& parsed) {
  Words words = {tools.host_compiler->program.string()};
  append(words, compile_flags(target));
  append(words, {"-I", tools.emulator_include.string(), "-isystem", tools.cuda_include.string(), "-x", "c++-header",
                 header.string(), "-o", parsed.string()});
  return words;
}

Words rewrite_command(const Toolchain& tools, const std::set<std::string>& files,
                      const std::filesystem::path& folder) {
  Words words = {tools.rewriter->program.string(), "--into", folder.string()};
  words.insert(words.end(), files.begin(), files.end());
  return words;
}

Words link_command(const Target& target, const Toolchain& tools, const std::vector<std::filesystem::path>& objects,
                   const std::filesystem::path& exports, const std::filesystem::path& library) {
  Words words = {tools.host_compiler->program.string(), "-shared", "-o", library.string()};
  for (const std::filesystem::path& object : objects) {
    words.push_back(object.string());
  }
  words.push_back(fmt::format("-Wl,--version-script={}", exports.string()));
  if (target.device == DeviceKind::kCuda && !target.own_code_alone) {
    // Its own copy of the runtime: streams and memory are the driver's and hence shared with the worker's copy.
    append(words, {tools.cuda_static_runtime.string(), "-ldl", "-lrt", "-lpthread"});
  }
  // Elsewhere cuda* and the sanitizers' functions stay open: the worker that loads the library has them.
  return words;
}

Words tool_identities(const Target& target, const Toolchain& tools) {
  Words identities = {to_string(target.device), tools.host_compiler->identity, tools.cuda_identity};
  if (target.device == DeviceKind::kCuda) {
    append(identities, {target.architecture, tools.nvcc->identity});
  } else {
    append(identities, {tools.rewriter->identity, tools.emulator_identity});
  }
  return identities;
}

}  // namespace stitch::toolchain
