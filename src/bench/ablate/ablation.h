// SPDX-License-Identifier: Apache-2.0
// What an ablation compares: arms, each a system with its parts and models, over one suite and some seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::bench {

struct Arm {
  std::string name;                    // "loop"
  std::vector<std::string> arguments;  // of `bench`: what is common to all arms, then the arm's own
};

struct Ablation {
  std::string suite;
  std::vector<std::string> suite_arguments;  // --root, --levels, --only, --subset
  std::vector<uint64_t> seeds;               // each arm is run once with each
  std::vector<Arm> arms;                     // all others are compared with the first
};

// docs/bench.md has the form. kFileInvalid names the arm and the member that is wrong.
Result<Ablation> read_ablation(const std::string& text, const std::string& what);

// "loop-1": the folder of one arm with one seed.
std::string run_name(const Arm& arm, uint64_t seed);

}  // namespace stitch::bench
