// SPDX-License-Identifier: Apache-2.0
#include "train/program/run.h"

#include <cstdio>

#include "base/guard/guarded.h"
#include "base/json/json.h"
#include "train/chain/chain.h"
#include "train/checkpoint/ending.h"
#include "train/checkpoint/run_report.h"
#include "train/loop/draw.h"
#include "train/loop/sft.h"
#include "train/offline/rft.h"
#include "train/offline/value.h"
#include "train/parallel/training_group.h"
#include "train/reinforce/reinforce.h"
#include "train/serve/serve_model.h"
#include "train/torch/runtime.h"

namespace stitch::train {
namespace {

struct Loop {
  const char* name;
  Result<Json> (*run)(const Configuration& config);
};
constexpr Loop kLoops[] = {{"sft", run_sft}, {"sample", run_sample}, {"grpo", run_grpo},
                           {"ppo", run_ppo}, {"rft", run_rft},       {"value", run_value}};

// A run that has ended leaves its curves: its answer says where. Drawing alone is no run.
Result<Json> with_report(Result<Json> answer) {
  if (!answer.has_value() || !answer->contains("run")) {
    return answer;
  }
  const auto page = leave_report((*answer)["run"].get<std::string>());
  if (page.has_value()) {
    (*answer)["report"] = page->string();
    std::fprintf(stderr, "stitchcuda-train: the curves are in %s\n", page->c_str());
  }
  return answer;
}

Result<Json> run_loop(const std::string& verb, const Configuration& config) {
  for (const auto& [name, run] : kLoops) {
    if (verb == name) {
      return with_report(run(config));
    }
  }
  return failure(ErrorCode::kUsage, "it has no '" + verb + "'", config.where, "name sft, rft, value, grpo or ppo");
}

// What several processes cannot do together yet would be done by each of them, all in one folder.
Result<void> check_is_alone(const std::string& verb) {
  STITCH_ASSIGN(const GroupPlace place, place_from_environment());
  if (place.size == 1 || verb == "sft" || verb == "facts") {
    return {};
  }
  return failure(ErrorCode::kUsage,
                 "'" + verb + "' is done by one process, and WORLD_SIZE is " + std::to_string(place.size), "WORLD_SIZE",
                 "start it without torchrun; sft alone is shared by several processes");
}

Result<Json> run_known(const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"facts"}) {
    return torch_facts();
  }
  STITCH_TRY(check_is_alone(words.empty() ? "" : words.front()));
  if (words.size() == 3 && words[1] == "--config") {
    if (words[0] != "sample") {
      end_runs_on_signals();
    }
    if (words[0] == "chain") {
      return run_chain(words[2], run_loop);
    }
    for (const auto& [name, run] : kLoops) {
      if (words[0] == name) {
        STITCH_ASSIGN(const Configuration config, read_configuration(words[2]));
        return with_report(run(config));
      }
    }
  }
  std::string asked;
  for (const std::string& word : words) {
    asked += (asked.empty() ? "" : " ") + word;
  }
  return failure(
      ErrorCode::kUsage, "it has no '" + asked + "'", "",
      "write 'stitchcuda-train sft|rft|value|grpo|ppo|chain|sample --config FILE', 'stitchcuda-train serve-model "
      "--model PATH' or 'stitchcuda-train facts'");
}

}  // namespace

Result<Json> run_verb(const std::vector<std::string>& words) {
  compute_reproducibly();
  const bool serves = !words.empty() && words.front() == "serve-model";
  auto answer = guarded([&] { return serves ? run_serve_model({words.begin() + 1, words.end()}) : run_known(words); },
                        ErrorCode::kEnvironment, "LibTorch could not go on");
  return answer.has_value() ? std::move(answer).value() : Result<Json>(failure(answer.error()));
}

}  // namespace stitch::train
