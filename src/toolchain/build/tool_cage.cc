// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/tool_cage.h"

#include "base/process/child.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

// An installation apart from the system's: only the folders of it that toolchains have, since it may be all of a home.
void add_installation(const fs::path& program, std::vector<fs::path>& readable) {
  std::error_code error;
  const fs::path found = find_program(program.string());
  const fs::path true_program = fs::canonical(found, error);
  if (error) {
    return;
  }
  readable.push_back(found);
  const fs::path prefix = true_program.parent_path().parent_path();
  for (fs::directory_iterator entry(prefix, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_of_a_tool = name == "bin" || name == "lib" || name == "lib64" || name == "libexec" ||
                              name == "include" || name == "nvvm" || name == "targets" || name == "crt" ||
                              name.find("-linux-gnu") != std::string::npos;
    if (is_of_a_tool && prefix != "/" && prefix != "/usr") {
      readable.push_back(entry->path());
    }
  }
}

}  // namespace

sandbox::CagePolicy tool_cage(const Toolchain& tools, const Target& target, const fs::path& place,
                              const fs::path& prelude) {
  sandbox::CagePolicy policy;
  policy.mode = tools.confinement.mode;
  for (const std::optional<Tool>* tool : {&tools.host_compiler, &tools.nvcc}) {
    if (tool->has_value()) {
      add_installation((*tool)->program, policy.readable);
    }
  }
  for (const fs::path& path :
       {tools.cuda_include, tools.cuda_static_runtime, tools.emulator_include, prelude.parent_path()}) {
    if (!path.empty()) {
      policy.readable.push_back(path);
    }
  }
  if (target.torch.has_value()) {
    policy.readable.insert(policy.readable.end(), target.torch->includes.begin(), target.torch->includes.end());
    policy.readable.push_back(target.torch->libraries);
  }
  policy.writable = {place};
  policy.may_start_programs = true;
  policy.limits = sandbox::compiler_limits();
  return policy;
}

}  // namespace stitch::toolchain
