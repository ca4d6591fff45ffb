// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/commands.h"

#include <fmt/format.h>

#include <sstream>

#include "toolchain/source/include_closure.h"

namespace stitch::toolchain {
namespace {

constexpr const char* kEmulatorHeader = "stitch_emulator.h";
constexpr const char* kWithoutSanitizers = "stitch_emulator/without_sanitizers.h";
constexpr const char* kTorchHeader = "stitch_emulator_torch.h";
constexpr const char* kTorchOverlay = "stitch_emulator/torch";  // stands before PyTorch's own headers

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

void add_torch_folders(Words& words, const Target& target, const Toolchain& tools) {
  if (!target.torch.has_value()) {
    return;
  }
  append(words, {"-I", (tools.emulator_include / kTorchOverlay).string()});
  for (const std::filesystem::path& folder : target.torch->includes) {
    append(words, {"-isystem", folder.string()});
  }
}

// The emulator stands between a checked program and AddressSanitizer: it finds lost updates in what is accessed.
void append_wrapped_calls(Words& words) {
  for (const char* bytes : {"1", "2", "4", "8", "16", "N"}) {
    append(words, {fmt::format("-Wl,--wrap=__asan_load{}", bytes), fmt::format("-Wl,--wrap=__asan_store{}", bytes)});
  }
}

}  // namespace

std::string exports_of(const Target& target) {
  return fmt::format("{{ global: {}; local: *; }};\n", target.torch.has_value() ? "PyInit_*" : "stitch_program_v1");
}

std::string prelude_text(const Target& target) {
  if (!target.torch.has_value()) {
    return fmt::format("#include \"{}\"\n", kEmulatorHeader);
  }
  return fmt::format("#define _GLIBCXX_USE_CXX11_ABI {}\n#include \"{}\"\n", target.torch->has_cxx11_strings ? 1 : 0,
                     kTorchHeader);
}

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
    // CUB's own ranges would have every program that includes it open libraries by name.
    append(flags, target.nvtx ? Words{"-DSTITCH_NVTX"} : Words{"-DNVTX_DISABLE", "-DCCCL_DISABLE_NVTX"});
    return flags;
  }
  // No contraction: a fused multiply-add where the source has none would hide or make differences between devices.
  // Without -fno-tree-ter g++ 12 drops the cut of `if (c) p = bits(bits(p) & mask);`, and a candidate would be given
  // digits that it has thrown away (bench/emulator/narrowing).
  Words flags = {"-std=c++20", "-ffp-contract=off", "-fno-tree-ter", "-fPIC", "-w"};
  if (target.device == DeviceKind::kChecked) {
    // What compiling costs decides here: all of `undefined` would take twice as long. Stack red zones too are left out:
    // they double the frames of the emulator's small stacks, and `bounds` sees the overruns of local arrays.
    append(flags,
           {"-O1", "-g1", "-fno-omit-frame-pointer", "--param=asan-stack=0",
            "--param=asan-instrumentation-with-call-threshold=0", "-fno-sanitize-recover=all",
            "-fsanitize=address,alignment,bounds,bool,integer-divide-by-zero,return,shift,signed-integer-overflow"});
  } else {
    append(flags, {"-O2"});
  }
  if (target.device == DeviceKind::kCounted) {
    // A mark at every load and store. Each stays the access that the source says, as a GPU's compiler keeps it: words
    // beside each other are not joined, a vector is not taken apart.
    append(flags, {"-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0", "-fno-tree-vectorize",
                   "-fno-store-merging", "-fno-tree-sra", "-fno-ipa-sra"});
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
    add_torch_folders(words, target, tools);
    append(words, {"-isystem", tools.cuda_include.string()});
    const char* header = target.torch.has_value() ? kTorchHeader : kEmulatorHeader;
    append(words, {"-include", prelude.empty() ? header : prelude.string()});
    if (target.device == DeviceKind::kChecked && target.hides_sanitizers) {
      append(words, {"-include", kWithoutSanitizers});
    }
    append(words, {"-x", "c++"});
  }
  if (target.torch.has_value()) {
    append(words, target.torch->macros);
  }
  append(words, {"-c", unit, "-o", object.string()});
  return words;
}

Words prelude_command(const Target& target, const Toolchain& tools, const std::filesystem::path& header,
                      const std::filesystem::path& parsed) {
  Words words = {tools.host_compiler->program.string()};
  append(words, compile_flags(target));
  append(words, {"-I", tools.emulator_include.string()});
  add_torch_folders(words, target, tools);
  append(words, {"-isystem", tools.cuda_include.string(), "-x", "c++-header", header.string(), "-o", parsed.string()});
  return words;
}

Words rewrite_command(const Toolchain& tools, const std::set<std::string>& files, const std::filesystem::path& folder) {
  Words words = {tools.rewriter->program.string(), "--into", folder.string()};
  words.insert(words.end(), files.begin(), files.end());
  return words;
}

Words link_command(const Target& target, const Toolchain& tools, const Linked& linked,
                   const std::filesystem::path& exports, const std::filesystem::path& library) {
  Words words = {tools.host_compiler->program.string(), "-shared", "-o", library.string()};
  for (const std::filesystem::path& object : linked.objects) {
    words.push_back(object.string());
  }
  for (const auto& [name, means] : linked.aliases) {
    words.push_back(fmt::format("-Wl,--defsym={}={}", name, means));
  }
  words.push_back(fmt::format("-Wl,--version-script={}", exports.string()));
  if (target.device == DeviceKind::kCuda && !target.own_code_alone) {
    // Its own copy of the runtime: streams and memory are the driver's and hence shared with the worker's copy.
    append(words, {tools.cuda_static_runtime.string(), "-ldl", "-lrt", "-lpthread"});
  }
  if (target.torch.has_value()) {  // by name alone: the process that loads it has them already
    append(words, {"-L", target.torch->libraries.string(), "-lc10", "-ltorch_cpu", "-ltorch_python"});
  }
  if (target.device == DeviceKind::kChecked) {
    append_wrapped_calls(words);
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
  if (target.torch.has_value()) {
    append(identities, {target.torch->identity, prelude_text(target)});
  }
  return identities;
}

}  // namespace stitch::toolchain
