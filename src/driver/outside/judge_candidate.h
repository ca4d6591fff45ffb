// SPDX-License-Identifier: Apache-2.0
// Judges programs that we did not write, of whatever kind.
#pragma once

#include "base/json/json_forward.h"
#include "driver/admit/admission.h"
#include "driver/job/job.h"
#include "driver/outside/python_candidate.h"
#include "driver/outside/source_facts.h"
#include "driver/time/time_on_gpu.h"
#include "evaluate/pipeline/evaluate.h"
#include "toolchain/candidate/candidate_kind.h"

namespace stitch::driver {

struct CandidateRequest {
  Task task;                   // the program that it stands for
  std::string candidate;       // a folder of sources, a library or a Python file
  bool admitted_only = false;  // no verdict on a task that takes null candidates
  // Where somebody wants to know what a call of a native one ran, and not what its task is worth.
  std::shared_ptr<evaluate::LaunchLedger> launches{};
};

struct CandidateVerdict {
  toolchain::CandidateKind kind = toolchain::CandidateKind::kSources;
  std::vector<std::string> notes;  // what of it was ignored
  std::string reduced;             // sizes that it was judged at, "BATCH=3"; empty: the program's own
  evaluate::EvaluateReport report;
  std::optional<ir::Graph> graph;  // of the program that it stands for
  std::shared_ptr<evaluate::LaunchLedger> launches;
  std::optional<PythonVerdict> python;  // of a candidate in Python: what PyTorch did for it
  SourceFacts source;
  // What a right answer is worth on this task. Set for a candidate that was found right, and always with
  // `admitted_only`.
  std::optional<TaskAdmission> admission;
  std::optional<MeasuredProgram> times;  // of one that was found right on a GPU
};
// All regimes at the declared shapes: its sizes are compiled in as far as we know. With the small scale a module in
// Python is judged at reduced sizes; kUsage for one in CUDA.
// kProgramInvalid with `admitted_only` where the program takes a null candidate: no verdict then.
Result<CandidateVerdict> judge_candidate(Job& job, const toolchain::Toolchain& tools, DeviceKind device,
                                         const CandidateRequest& request);

// Who did the work, with the evidence: what PyTorch was seen to do; a cheat is a total hack; what cannot call PyTorch
// and cheats nobody is clean, however slow or wrong it is.
struct CandidateClass {
  HackClass hack_class = HackClass::kClean;
  std::string evidence;
};
CandidateClass class_of(const CandidateVerdict& verdict);

Json to_json(const CandidateVerdict& verdict);

}  // namespace stitch::driver
