// SPDX-License-Identifier: Apache-2.0
// What is here, what is missing, what that costs, and the command that mends it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json.h"
#include "base/process/child.h"
#include "cli/commands/commands.h"
#include "toolchain/discovery/cuda_folders.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::cli {
namespace {

constexpr int64_t kProbeTimeoutMs = 60'000;

struct Finding {
  std::string name;
  bool ok = false;
  bool needed = false;  // without it `optimize` cannot do its job at all
  std::string what;     // the version or place found, or what its absence costs and what mends it
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding probe(const char* name, const std::vector<std::string>& command, bool needed, const std::string& otherwise) {
  ChildOptions options;
  options.arguments = command;
  const Result<ChildOutput> ran = run_child(options, kProbeTimeoutMs);
  const bool ok = ran.has_value() && ran->exit.ok();
  return {name, ok, needed, ok ? first_line(ran->standard_output) : otherwise};
}

Finding device(const toolchain::Toolchain& tools, DeviceKind kind, bool needed) {
  const Result<void> supported = tools.supports(kind);
  const std::string name = fmt::format("build for {}", to_string(kind));
  if (supported.has_value()) {
    return {name, true, needed, "ready"};
  }
  return {name, false, needed, fmt::format("{}; {}", supported.error().sentence, supported.error().remedy)};
}

// Optional for whoever runs a program, too: its steps have kernels of their own.
Finding libraries(const Session& session) {
  const std::vector<std::string> folders = toolchain::cuda_library_folders(session.resources().python);
  const bool found = !folders.empty();
  return {"cuBLASLt and cuDNN", found, false,
          found ? fmt::format("{}", fmt::join(folders, ", "))
                : "not installed: programs use our own kernels alone; 'pip install nvidia-cublas nvidia-cudnn-cu13' "
                  "brings them"};
}

std::vector<Finding> findings(const Session& session, const toolchain::Toolchain& tools) {
  const std::string python = session.resources().python.string();
  std::vector<Finding> found;
  found.push_back(probe("PyTorch", {python, "-c", "import torch; print(torch.__version__, 'in', torch.__path__[0])"},
                        true,
                        fmt::format("{} cannot import torch, so no program can be read; run 'pip install torch' there "
                                    "or set STITCHCUDA_PYTHON",
                                    python)));
  found.push_back(device(tools, DeviceKind::kEmulated, true));
  found.push_back(device(tools, DeviceKind::kChecked, true));
  found.push_back(device(tools, DeviceKind::kCuda, false));
  found.push_back(probe("GPU", {"nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"},
                        false, "none here: programs are verified on the emulated device and times are modelled"));
  found.push_back(libraries(session));
  for (const char* name : {"stitchcuda-keeper-emulated", "stitchcuda-worker-emulated", "stitchcuda-worker-checked"}) {
    const Result<std::filesystem::path> helper = find_helper_program(name);
    found.push_back({name, helper.has_value(), true,
                     helper.has_value() ? helper->string() : helper.error().sentence + "; " + helper.error().remedy});
  }
  return found;
}

}  // namespace

Result<int> run_doctor(Session& session) {
  STITCH_ASSIGN(const toolchain::Toolchain tools, toolchain::find_toolchain());
  Json rows = Json::array();
  std::string text;
  bool able = true;
  for (const Finding& finding : findings(session, tools)) {
    able = able && (finding.ok || !finding.needed);
    rows.push_back({{"name", finding.name}, {"ok", finding.ok}, {"needed", finding.needed}, {"what", finding.what}});
    text += fmt::format("{} {:<28} {}\n",
                        finding.ok       ? "ok     "
                        : finding.needed ? "MISSING"
                                         : "absent ",
                        finding.name, finding.what);
  }
  text += able ? "stitchcuda can do its main job here."
               : "stitchcuda cannot do its main job here until what is MISSING is mended.";
  session.reporter().result(Json{{"schema", "stitchcuda.doctor/1"}, {"able", able}, {"findings", rows}}, text);
  return able ? 0 : exit_status(ErrorCode::kEnvironment);
}

}  // namespace stitch::cli
