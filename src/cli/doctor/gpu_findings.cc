// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/process/child.h"
#include "cli/doctor/examination.h"
#include "cli/doctor/mend.h"
#include "cli/doctor/probe.h"
#include "kernels/template/device_limits.h"
#include "sandbox/cage/cage.h"
#include "toolchain/discovery/cuda_folders.h"

namespace stitch::cli::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGpuGroup = "GPU, which is optional";
constexpr const char* kEmulated = "Programs are verified on the emulated device; times are modelled.";
constexpr const char* kUncompiled = "Sources are written and verified, but not compiled for a GPU here.";

struct Gpus {
  Finding finding;
  std::string cuda;                        // the newest CUDA that the driver takes: "13.0"; empty where that is unknown
  std::vector<std::string> architectures;  // "sm_90"
};

struct Compiler {
  Finding finding;
  std::string release;               // "13.0"
  std::vector<std::string> targets;  // "sm_90a"
};

std::string bring_cuda(const Examination& examination, const char* packages) {
  const std::string tree = set_up(examination.resources);
  const std::string python = shell_word(examination.resources.python.string());
  return tree.empty() ? fmt::format(
                            "{0} -m pip install {1} && export CUDA_HOME=$({0} -c 'import nvidia.cu13 as n; "
                            "print(list(n.__path__)[0])')",
                            python, packages)
                      : tree;
}

// Those of the architectures that plans are made for which this nvcc knows.
std::vector<std::string> built_targets(const fs::path& nvcc, int64_t timeout_ms) {
  const std::vector<std::string> codes = lines_of(ask({nvcc.string(), "--list-gpu-code"}, timeout_ms).output);
  std::vector<std::string> targets;
  for (const kernels::DeviceLimits& device : kernels::known_devices()) {
    // The list has sm_90 alone, also where sm_90a is taken.
    const std::string plain = device.architecture.substr(0, device.architecture.find_last_of("0123456789") + 1);
    const bool is_known = std::find(codes.begin(), codes.end(), plain) != codes.end();
    if (is_known && std::find(targets.begin(), targets.end(), device.architecture) == targets.end()) {
      targets.push_back(device.architecture);
    }
  }
  return targets;
}

Compiler examine_compiler(const Examination& examination) {
  const std::string mend =
      bring_cuda(examination,
                 "'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-cuda-runtime==13.0.*' "
                 "'nvidia-cuda-cccl==13.0.*' 'nvidia-nvvm==13.0.*'");
  const fs::path nvcc = toolchain::first_existing(toolchain::cuda_folders(), {"bin/nvcc"});
  if (nvcc.empty()) {
    return {{kGpuGroup, "nvcc", State::kAbsent, "not installed", kUncompiled, mend}, "", {}};
  }
  const Answer answer = ask({nvcc.string(), "--version"}, examination.probe_timeout_ms);
  if (!answer.ok) {
    const std::string what = fmt::format("{}: {}", nvcc.string(), answer.trouble(examination.probe_timeout_ms));
    return {{kGpuGroup, "nvcc", State::kAbsent, what, kUncompiled, mend}, "", {}};
  }
  const std::string release = word_after(answer.output, "release ");
  if (examination.tools.cuda_static_runtime.empty()) {
    return {{kGpuGroup, "nvcc", State::kAbsent,
             fmt::format("{}, {}, without libcudart_static.a", release, nvcc.string()), kUncompiled, mend},
            release,
            {}};
  }
  const std::vector<std::string> targets = built_targets(nvcc, examination.probe_timeout_ms);
  return {{kGpuGroup, "nvcc", State::kHere,
           fmt::format("{}, {}, for {}", release, nvcc.string(), fmt::join(targets, " ")), "", ""},
          release,
          targets};
}

Gpus examine_gpus(const Examination& examination) {
  const Answer answer =
      ask({"nvidia-smi", "--query-gpu=name,compute_cap,driver_version,memory.total", "--format=csv,noheader"},
          examination.probe_timeout_ms);
  if (!answer.is_there) {
    return {{kGpuGroup, "GPU", State::kAbsent, "none here (there is no nvidia-smi)", kEmulated, ""}, "", {}};
  }
  const std::vector<std::string> rows = lines_of(answer.output);
  if (!answer.ok || rows.empty()) {
    const std::string what = "nvidia-smi: " + answer.trouble(examination.probe_timeout_ms);
    return {{kGpuGroup, "GPU", State::kAbsent, what, kEmulated, ""}, "", {}};
  }
  Gpus gpus;
  std::string what = rows.size() == 1 ? "" : fmt::format("{} of them: ", rows.size());
  for (const std::string& row : rows) {
    what += (row == rows.front() ? "" : "; ") + row;
    const size_t comma = row.find(", ");
    std::string capability = comma == std::string::npos ? "" : word_after(row.substr(comma), ", ");
    std::erase(capability, '.');
    gpus.architectures.push_back("sm_" + capability);
  }
  gpus.finding = {kGpuGroup, "GPU", State::kHere, what, "", ""};
  gpus.cuda = word_after(ask({"nvidia-smi"}, examination.probe_timeout_ms).output, "CUDA Version: ");
  return gpus;
}

bool is_built_for(const std::vector<std::string>& targets, const std::string& architecture) {
  return std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
    return target.substr(0, target.find_last_of("0123456789") + 1) == architecture;
  });
}

// Whether what this nvcc makes starts on what is here.
std::vector<Finding> agreement(const Gpus& gpus, const Compiler& compiler) {
  std::vector<Finding> found;
  for (const std::string& architecture : gpus.architectures) {
    if (!compiler.targets.empty() && !is_built_for(compiler.targets, architecture)) {
      found.push_back({kGpuGroup, "target", State::kWarning,
                       fmt::format("{} is none of {}", architecture, fmt::join(compiler.targets, " ")),
                       "Programs for this GPU cannot be built: run with --device emulated.", ""});
      break;
    }
  }
  // Within a major version of CUDA any driver of that version starts any program of it.
  if (!gpus.cuda.empty() && std::atoi(gpus.cuda.c_str()) < std::atoi(compiler.release.c_str())) {
    found.push_back({kGpuGroup, "driver", State::kWarning,
                     fmt::format("it takes CUDA {}, nvcc is {}", gpus.cuda, compiler.release),
                     "Programs that this nvcc makes do not start here: update the driver, or set CUDA_HOME to a "
                     "toolkit as old as the driver.",
                     ""});
  }
  return found;
}

Finding gpu_programs() {
  for (const char* name : {"stitchcuda-keeper-cuda", "stitchcuda-worker-cuda"}) {
    const Result<fs::path> program = find_helper_program(name);
    if (!program.has_value()) {
      return {kGpuGroup,
              "keeper, worker",
              State::kAbsent,
              std::string(name) + " is not there",
              "Programs are not run on a GPU: stitchcuda was built without a CUDA toolkit.",
              ""};
    }
  }
  return {kGpuGroup, "keeper, worker", State::kHere, "stitchcuda-keeper-cuda, stitchcuda-worker-cuda", "", ""};
}

// Candidates run in the cage: there the driver may meet less than it needs.
std::optional<Finding> gpu_in_the_cage(const Examination& examination) {
  const Result<fs::path> worker = find_helper_program("stitchcuda-worker-cuda");
  const Result<sandbox::Layers> layers = sandbox::machine_layers();
  if (!worker.has_value() || !layers.has_value() || layers->isolation() == sandbox::Isolation::kNone) {
    return std::nullopt;
  }
  ChildOptions options;
  options.arguments = {worker->string(), "--device"};
  sandbox::CagePolicy policy;
  policy.gpu = true;
  const Result<ChildOutput> ran = sandbox::run_caged_child(options, policy, examination.probe_timeout_ms);
  const bool ok = ran.has_value() && ran->exit.ok();
  const std::string said = ran.has_value() ? ran->standard_output : ran.error().message;
  const std::string line = said.substr(0, said.find('\n'));
  if (ok) {
    return Finding{kGpuGroup, "GPU in the cage", State::kHere, line + " starts there", "", ""};
  }
  return Finding{kGpuGroup,
                 "GPU in the cage",
                 State::kAbsent,
                 line.empty() ? "the driver did not start there in time" : line,
                 "Programs for a GPU can be built, but not verified here but with --unsafe-no-sandbox.",
                 "in a container: mount a fresh /proc (docker run --security-opt systempaths=unconfined ...)"};
}

Finding libraries(const Examination& examination) {
  const std::vector<std::string> folders = toolchain::cuda_library_folders(examination.resources.python);
  const std::string python = shell_word(examination.resources.python.string());
  if (folders.empty()) {
    return {kGpuGroup,
            "cuBLASLt, cuDNN",
            State::kAbsent,
            "not installed",
            "Programs use our own kernels alone; where a library is measured to be faster it is not taken.",
            python + " -m pip install nvidia-cublas nvidia-cudnn-cu13"};
  }
  return {kGpuGroup, "cuBLASLt, cuDNN", State::kHere, fmt::format("{}", fmt::join(folders, ", ")), "", ""};
}

}  // namespace

std::vector<Finding> gpu_findings(const Examination& examination) {
  const Compiler compiler = examine_compiler(examination);
  const Gpus gpus = examine_gpus(examination);
  std::vector<Finding> found = {compiler.finding, gpus.finding};
  const std::vector<Finding> doubts = agreement(gpus, compiler);
  found.insert(found.end(), doubts.begin(), doubts.end());
  found.push_back(gpu_programs());
  if (gpus.finding.state == State::kHere) {
    if (std::optional<Finding> caged = gpu_in_the_cage(examination)) {
      found.push_back(std::move(*caged));
    }
  }
  found.push_back(libraries(examination));
  return found;
}

}  // namespace stitch::cli::doctor
