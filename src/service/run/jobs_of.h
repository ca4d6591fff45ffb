// SPDX-License-Identifier: Apache-2.0
// What workers are asked for one evaluation, in their order: each only after the one before it found the candidate
// right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "farm/artefacts/artefacts.h"
#include "service/outcome/judged.h"
#include "service/request/evaluation_request.h"
#include "service/tasks/task_list.h"

namespace stitch::service {

struct PhaseJob {
  Phase phase = Phase::kVerify;
  std::string text;  // `stitchcuda.job/1`
};

struct AskedOfWorkers {
  const EvaluationRequest& request;
  const ServedTask& task;
  std::vector<farm::PlacedFile> candidate{};  // below "candidate/"
  std::vector<farm::PlacedFile> previous{};   // below "previous/"; empty: none
  std::string feedback{};                     // digest of its text; empty: none
  bool is_on_gpu = false;
  std::optional<uint64_t> seed{};  // makes it a job of its own; empty: the worker draws one
};

Result<std::vector<PhaseJob>> jobs_of(const AskedOfWorkers& asked, const farm::Artefacts& artefacts);

Json to_json(const std::vector<PhaseJob>& jobs);
Result<std::vector<PhaseJob>> phase_jobs_from_json(const Json& json);

}  // namespace stitch::service
