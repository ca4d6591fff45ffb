// SPDX-License-Identifier: Apache-2.0
#include "train/program/run.h"

#include "base/guard/guarded.h"
#include "base/json/json.h"
#include "train/loop/draw.h"
#include "train/loop/sft.h"
#include "train/torch/runtime.h"

namespace stitch::train {
namespace {

Result<Json> run_known(const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"facts"}) {
    return torch_facts();
  }
  if (words.size() == 3 && words[0] == "sft" && words[1] == "--config") {
    return run_sft(words[2]);
  }
  if (words.size() == 3 && words[0] == "sample" && words[1] == "--config") {
    return run_sample(words[2]);
  }
  std::string asked;
  for (const std::string& word : words) {
    asked += (asked.empty() ? "" : " ") + word;
  }
  return failure(ErrorCode::kUsage, "it has no '" + asked + "'", "",
                 "write 'stitchcuda-train sft|sample --config FILE' or 'stitchcuda-train facts'");
}

}  // namespace

Result<Json> run_verb(const std::vector<std::string>& words) {
  compute_reproducibly();
  auto answer = guarded([&] { return run_known(words); }, ErrorCode::kEnvironment, "LibTorch could not go on");
  return answer.has_value() ? std::move(answer).value() : Result<Json>(failure(answer.error()));
}

}  // namespace stitch::train
