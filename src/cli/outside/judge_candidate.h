// SPDX-License-Identifier: Apache-2.0
// The one door for programs that we did not write: which kind it is, and its verdict.
#pragma once

#include "base/json/json_forward.h"
#include "cli/outside/candidate_kind.h"
#include "cli/outside/python_candidate.h"
#include "cli/stages/session.h"
#include "evaluate/pipeline/evaluate.h"

namespace stitch::cli {

struct CandidateVerdict {
  CandidateKind kind = CandidateKind::kSources;
  std::vector<std::string> notes;  // what of it was ignored
  evaluate::EvaluateReport report;
  std::optional<PythonVerdict> python;  // of a candidate in Python: what PyTorch did for it
};
// All regimes at the declared shapes: its sizes are compiled in as far as we know.
Result<CandidateVerdict> judge_candidate(Session& session, const toolchain::Toolchain& tools, DeviceKind device);

Json to_json(const CandidateVerdict& verdict);

}  // namespace stitch::cli
