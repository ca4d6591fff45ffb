// SPDX-License-Identifier: Apache-2.0
#include "train/program/run.h"

#include "base/json/json.h"
#include "train/torch/runtime.h"

namespace stitch::train {

Result<Json> run_verb(const std::vector<std::string>& words) {
  compute_reproducibly();
  if (words == std::vector<std::string>{"facts"}) {
    return torch_facts();
  }
  const std::string verb = words.empty() ? "nothing" : "'" + words.front() + "'";
  return failure(ErrorCode::kUsage, "stitchcuda-train was asked for " + verb + " and knows: facts", "",
                 "run 'stitchcuda-train facts'");
}

}  // namespace stitch::train
