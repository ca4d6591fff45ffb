// SPDX-License-Identifier: Apache-2.0
// Marks that `score` gave elsewhere, lowered by a language model that is asked here, where its key is.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/json/json.h"
#include "driver/job/job.h"

namespace stitch::driver {

struct ConsultRequest {
  Json score;                                 // what `score --json` printed, with its facts
  std::map<std::string, std::string> text{};  // of the candidate, by file
  std::string program_text{};                 // what it stands for
  std::function<Result<std::string>(const std::string& prompt)> judge{};
  std::string rubric = "v3";  // a frozen version
};

// `stitchcuda.score/1` with the judge's part. What the judge fails with; kFileInvalid where its answer or the facts
// have another form.
Result<Json> consult(const ConsultRequest& request, const Services& services);

}  // namespace stitch::driver
