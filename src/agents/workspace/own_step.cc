// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/own_step.h"

namespace stitch::agents {

OwnStep own_step_of(const Bench& bench, const SubTask& sub_task) {
  const Ground ground = bench.ground_of(sub_task);
  if (ground.is_host || ground.is_module) {
    return {ground.step, ground.why_fixed};
  }
  if (ground.replaced.size() != 1 || ground.step != ground.replaced.front()) {
    return {};
  }
  if (!ground.why_fixed.empty() || ground.skeleton.empty()) {
    return {ground.step, ground.why_fixed};
  }
  return {ground.step, "its text follows from the sizes, and the program is judged at several"};
}

}  // namespace stitch::agents
