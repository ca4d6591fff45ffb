// SPDX-License-Identifier: Apache-2.0
// stitchcuda-training-toys [TOY ARM SEED]: the curve of one run; without arguments, the toys and their arms.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "toys/toys.h"
#include "train/torch/runtime.h"

namespace stitch::toys {
namespace {

const std::vector<Toy>& all_toys() {
  static const std::vector<Toy> toys = {{"digits", {"dr_grpo", "grpo", "rloo", "gspo", "cispo", "ppo"}, run_digits},
                                        {"hack", {"rule_only", "multiplier", "zero"}, run_hack},
                                        {"turns", {"cold", "pretrained", "gate"}, run_turns},
                                        {"settings", {"cuda_agent_v1", "stitchcuda_v1", "stitch_v1"}, run_settings},
                                        {"techniques", {"raw_speedup", "stitchcuda_v1", "stitch_v1"}, run_techniques},
                                        {"reverse", {"grpo", "ppo", "lora", "stale", "stale_corrected"}, run_reverse},
                                        {"rft", {"rft"}, run_rft},
                                        {"values", {"values"}, run_values},
                                        {"cheat", {"rule_only", "multiplier", "zero"}, run_cheat},
                                        {"refine", {"trloo"}, run_refine},
                                        {"rare", {"cold", "rft_first"}, run_rare},
                                        {"collapse", {"cold", "pretrained", "gate"}, run_collapse}};
  return toys;
}

int run(const std::string& name, const std::string& arm, uint64_t seed) {
  for (const Toy& toy : all_toys()) {
    for (const std::string& one : toy.arms) {
      if (name == toy.name && arm == one) {
        train::compute_reproducibly();
        toy.run(arm, seed);
        return 0;
      }
    }
  }
  std::fprintf(stderr, "no toy is called %s with an arm %s; without arguments all are listed\n", name.c_str(),
               arm.c_str());
  return 2;
}

}  // namespace
}  // namespace stitch::toys

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that a run which is ended early has told its points
  if (argc == 4) {
    return stitch::toys::run(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
  }
  for (const auto& toy : stitch::toys::all_toys()) {
    for (const std::string& arm : toy.arms) {
      std::printf("%s %s\n", toy.name, arm.c_str());
    }
  }
  return 0;
}
