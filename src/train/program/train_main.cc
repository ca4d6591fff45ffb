// SPDX-License-Identifier: Apache-2.0
// stitchcuda-train: the one program on LibTorch, started by `stitchcuda train`.
#include <cstdio>

#include "base/json/json.h"
#include "train/program/run.h"

int main(int argc, char** argv) {
  const auto answer = stitch::train::run_verb({argv + 1, argv + argc});
  if (!answer.has_value()) {
    const stitch::Error& error = answer.error();
    const std::string where = error.location.empty() ? "" : " (" + error.location + ")";
    const std::string remedy = error.remedy.empty() ? "" : "; " + error.remedy;
    std::fprintf(stderr, "stitchcuda-train: %s%s%s\n", error.message.c_str(), where.c_str(), remedy.c_str());
    return stitch::exit_status(error.code);
  }
  std::printf("%s\n", answer->dump().c_str());
  return 0;
}
