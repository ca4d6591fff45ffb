// SPDX-License-Identifier: Apache-2.0
#include "driver/improve/module_trial.h"

#include "base/fs/files.h"
#include "driver/build/emulated_turn.h"
#include "driver/outside/judge_candidate.h"
#include "driver/project/python_forms.h"

namespace stitch::driver {
namespace {

constexpr const char* kBlank = R"(import torch


class ModelNew(torch.nn.Module):
    """The program's own constructor, parameters and arguments; its forward in kernels of yours (load_inline)."""

    def __init__(self, *arguments):
        super().__init__()

    def forward(self, *arguments):
        raise NotImplementedError
)";

}  // namespace

Result<ModuleTrial> try_module(Job& job, const toolchain::Toolchain& tools, const VerifiedProgram& expert,
                               const std::string& text) {
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job, tools, expert.device));
  const double start = job.elapsed_seconds();
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitch-module"));
  const std::filesystem::path file = folder.path() / "model_new.py";
  STITCH_TRY(write_file(file, text));
  STITCH_ASSIGN(CandidateVerdict judged,
                judge_candidate(job, tools, expert.device, {.task = expert.task, .candidate = file.string()}));
  ModuleTrial trial{.verified = std::move(judged.report.verify)};
  if (trial.is_right() && judged.times.has_value() && judged.times->times.refusal().empty()) {
    const evaluate::Timing& plain = judged.times->times.plain;
    trial.program = TakenTime{TimeSource::kMeasured, plain.median_us, plain.interval.low, plain.interval.high};
  }
  trial.seconds = job.elapsed_seconds() - start;
  return trial;
}

Result<std::string> expert_module(Job& job, const VerifiedProgram& expert) {
  STITCH_ASSIGN(PythonForms forms, python_forms(job, expert.task, expert.program.bundle));
  const auto whole = forms.files.find("kernelbench_solution.py");
  return whole == forms.files.end() ? std::string(kBlank) : std::move(whole->second);
}

}  // namespace stitch::driver
