// SPDX-License-Identifier: Apache-2.0
#include "driver/profile/ladder_of.h"

#include <fmt/format.h>

#include "codegen/emit.h"
#include "driver/build/compile_program.h"
#include "driver/profile/modelled.h"
#include "driver/profile/replayed.h"

namespace stitch::driver {
namespace {

using profile::Availability;
using profile::Rung;
using profile::RungKind;

// Builds for a GPU when a rung first asks for it.
class LibraryOnce {
 public:
  LibraryOnce(Job& job, const toolchain::Toolchain& tools, const Folder& folder)
      : job_(job), tools_(tools), folder_(folder) {}

  Result<std::string> library() {
    if (library_.empty()) {
      STITCH_ASSIGN(const CompileReport built, build_bundle(job_, tools_, folder_.sources, DeviceKind::kCuda, ""));
      if (!built.ok) {
        return failure(ErrorCode::kProgramInvalid, build_failed(built, DeviceKind::kCuda).reason, "",
                       "mend the step's file");
      }
      library_ = built.library;
    }
    return library_;
  }

 private:
  Job& job_;
  const toolchain::Toolchain& tools_;
  const Folder& folder_;
  std::string library_;
};

Availability not_here(std::string why, std::string mend = "") { return {false, std::move(why), std::move(mend)}; }

// Shared by the rungs that look at a program which runs on a GPU.
Availability on_gpu(const LadderRequest& request, const Profilers& profilers) {
  if (request.device != DeviceKind::kCuda) {
    return not_here("the program is not run on a GPU here");
  }
  return profilers.replay.empty() ? not_here(
                                        "stitchcuda-replay-cuda is not there: stitchcuda was built without a CUDA "
                                        "toolkit")
                                  : Availability{true, "", ""};
}

Availability with_tool(Availability gpu, const std::filesystem::path& tool, const char* why, const char* mend) {
  return gpu.is_here && tool.empty() ? not_here(why, mend) : gpu;
}

Availability cupti_here(Availability gpu, const Profilers& profilers) {
  gpu = with_tool(std::move(gpu), profilers.activity,
                  "libstitch_activity.so is not there: CUPTI's headers were missing "
                  "when stitchcuda was built",
                  "pip install nvidia-cuda-cupti, then build stitchcuda again");
  return with_tool(std::move(gpu), profilers.cupti, "there is no libcupti.so here", "pip install nvidia-cuda-cupti");
}

Availability code_here(const toolchain::Toolchain& tools) {
  if (tools.cuobjdump.empty()) {
    return not_here("there is no cuobjdump", "pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm");
  }
  const Result<void> nvcc = tools.supports(DeviceKind::kCuda);
  return nvcc.has_value() ? Availability{true, "", ""} : not_here(nvcc.error().message, nvcc.error().remedy);
}

// A kernel's name holds its file's, by which nvcc tells apart what is local to one.
std::string mark_of_file(const plan::Plan& plan, size_t step) {
  return "_" + std::filesystem::path(codegen::step_file_name(plan, step)).stem().string() + "_cu_";
}

// Of each kernel that is local to a step's file.
void find_steps(const plan::Plan& plan, std::vector<profile::Kernel>& kernels) {
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    const std::string mark = mark_of_file(plan, step);
    for (profile::Kernel& kernel : kernels) {
      if (kernel.step < 0 && kernel.name.find(mark) != std::string::npos) {
        kernel.step = static_cast<int>(step);
      }
    }
  }
}

void attach_code(const std::vector<profile::CodeOfKernel>& code, const plan::Plan& plan,
                 std::vector<profile::Kernel>& kernels) {
  for (profile::Kernel& kernel : kernels) {
    if (kernel.step < 0) {
      continue;
    }
    const std::string mark = mark_of_file(plan, static_cast<size_t>(kernel.step));
    for (const profile::CodeOfKernel& each : code) {
      if (each.name.find(mark) != std::string::npos) {
        kernel.shape.registers = each.shape.registers;
        kernel.shape.static_shared = each.shape.static_shared;
        kernel.shape.local_bytes = each.shape.local_bytes;
        kernel.opcodes = each.opcodes;
      }
    }
  }
}

Result<profile::Measurement> joined(const LadderRequest& request, Result<profile::Measurement> measured) {
  if (measured.has_value()) {
    find_steps(request.folder.plan, measured->kernels);
    for (profile::Kernel& kernel : measured->kernels) {
      kernel.name = profile::readable_name(kernel.name);
    }
    profile::join_launches(step_work(request.folder.plan), *measured);
  }
  return measured;
}

using Look = Result<profile::Measurement> (*)(const ProfiledLibrary&);

std::function<Result<profile::Measurement>()> replayed_by(Look look, Job& job, const toolchain::Toolchain& tools,
                                                          const Profilers& profilers, LibraryOnce& built,
                                                          const LadderRequest& request) {
  return [look, &job, &tools, &profilers, &built, &request]() -> Result<profile::Measurement> {
    STITCH_ASSIGN(std::string library, built.library());
    return joined(request, look({job, tools, profilers, std::move(library)}));
  };
}

Availability executed_here(const LadderRequest& request) {
  if (!request.executed.has_value()) {
    return not_here(request.not_executed.empty() ? "the program is run on a GPU, and not on the emulated device"
                                                 : request.not_executed);
  }
  return request.executed->refusal.empty() ? Availability{true, "", ""} : not_here(request.executed->refusal);
}

}  // namespace

Result<LadderReport> climb_ladder(Job& job, const toolchain::Toolchain& tools, const LadderRequest& request) {
  const plan::Plan& plan = request.folder.plan;
  const Profilers profilers = find_profilers(job.resources().python);
  LibraryOnce built(job, tools, request.folder);
  LadderReport report;
  STITCH_ASSIGN(report.limits, kernels::device_limits(plan.device));
  const auto by = [&](Look look) { return replayed_by(look, job, tools, profilers, built, request); };
  const auto code = [&]() -> Result<profile::Measurement> {
    STITCH_ASSIGN(std::string library, built.library());
    STITCH_ASSIGN(report.code, read_machine_code({job, tools, profilers, std::move(library)}));
    profile::Measurement measured = roofline_of(plan);
    measured.rung = RungKind::kSass;
    measured.notes.emplace_back("times are the roofline's; the instructions are those of the library");
    attach_code(report.code, plan, measured.kernels);
    return measured;
  };
  const std::vector<Rung> rungs = {
      {RungKind::kNcu,
       [&] {
         return with_tool(on_gpu(request, profilers), profilers.ncu, "there is no ncu here",
                          "install NVIDIA Nsight Compute");
       },
       by(profile_by_ncu)},
      {RungKind::kCupti, [&] { return cupti_here(on_gpu(request, profilers), profilers); }, by(profile_by_cupti)},
      {RungKind::kNsys,
       [&] {
         return with_tool(on_gpu(request, profilers), profilers.nsys, "there is no nsys here",
                          "install NVIDIA Nsight Systems");
       },
       by(profile_by_nsys)},
      {RungKind::kExecuted, [&] { return executed_here(request); },
       [&]() -> Result<profile::Measurement> { return executed_of(*request.executed, plan); }},
      {RungKind::kSass, [&] { return code_here(tools); }, code},
      {RungKind::kRoofline, [] { return Availability{true, "", ""}; },
       [&]() -> Result<profile::Measurement> { return roofline_of(plan); }}};
  STITCH_ASSIGN(profile::Climbed climbed, profile::climb(rungs, request.only));
  report.measured = std::move(climbed.measured);
  report.rungs = std::move(climbed.rungs);
  report.bottlenecks = profile::bottlenecks_of(report.measured, report.limits);
  return report;
}

}  // namespace stitch::driver
