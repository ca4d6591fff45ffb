// SPDX-License-Identifier: Apache-2.0
// stitchcuda-train: the one program on LibTorch, started by `stitchcuda train`.
#include <cstdio>
#include <cstring>

#include "base/json/json.h"
#include "train/program/run.h"

namespace {

constexpr const char* kUsage =
    "usage: stitchcuda-train sft --config FILE     fine-tunes; goes on with a run that was ended\n"
    "       stitchcuda-train rft --config FILE     draws answers, keeps the good ones, fine-tunes on them\n"
    "       stitchcuda-train value --config FILE   trains a critic of a policy that stands still\n"
    "       stitchcuda-train grpo --config FILE    learns from rewards, within groups of answers to one prompt\n"
    "       stitchcuda-train ppo --config FILE     learns from rewards, beside a critic\n"
    "       stitchcuda-train chain --config FILE   runs several of them, each from what those before it left\n"
    "       stitchcuda-train sample --config FILE  draws answers to prompts\n"
    "       stitchcuda-train serve-model --config FILE | --model PATH ...  answers chats over HTTP\n"
    "       stitchcuda-train facts                 which LibTorch, and what it computes on\n"
    "The keys of FILE are in docs/training.md, those of serve-model in docs/serve-model.md.\n";

// A run that came to its end and not to its goal is no error: its answer says so, and so does the status.
int shut_gate_status(const stitch::Json& answer) {
  constexpr int kNotPassed = 1;
  const stitch::Json gate = answer.value("gate", stitch::Json::object());
  if (gate.value("is_open", true)) {
    return 0;
  }
  std::fprintf(stderr, "stitchcuda-train: %s\n", gate.value("sentence", "").c_str());
  return kNotPassed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0) {
    std::fputs(kUsage, argc < 2 ? stderr : stdout);
    return argc < 2 ? stitch::exit_status(stitch::ErrorCode::kUsage) : 0;
  }
  const auto answer = stitch::train::run_verb({argv + 1, argv + argc});
  if (!answer.has_value()) {
    const stitch::Error& error = answer.error();
    const std::string where = error.location.empty() ? "" : " (" + error.location + ")";
    const std::string remedy = error.remedy.empty() ? "" : "; " + error.remedy;
    std::fprintf(stderr, "stitchcuda-train: %s%s%s\n", error.message.c_str(), where.c_str(), remedy.c_str());
    return stitch::exit_status(error.code);
  }
  std::printf("%s\n", answer->dump().c_str());
  return shut_gate_status(*answer);
}
