// SPDX-License-Identifier: Apache-2.0
// The control interface: order, limits and counts.
#include <cstdlib>

#include "control/counts.h"
#include "fault/fault.h"

namespace stitch_emulator {

stitch_emulator_counts counts;

// A standalone program has nobody to call the control interface for it: its order can come from the environment.
Settings settings = [] {
  Settings initial;
  if (const char* seed = getenv("STITCH_EMULATOR_SEED")) {
    initial.schedule_seed = strtoull(seed, nullptr, 10);
  }
  return initial;
}();

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_emulator_set_schedule_seed(uint64_t seed) { settings.schedule_seed = seed; }

void stitch_emulator_set_limits(const stitch_emulator_limits* limits) {
  stitch_emulator_limits& kept = settings.limits;
  if (limits->static_shared_bytes != 0) {
    kept.static_shared_bytes = limits->static_shared_bytes;
  }
  if (limits->opt_in_shared_bytes != 0) {
    kept.opt_in_shared_bytes = limits->opt_in_shared_bytes;
  }
  if (limits->threads_per_block != 0) {
    kept.threads_per_block = limits->threads_per_block;
  }
  if (limits->seconds_per_wait != 0) {
    kept.seconds_per_wait = limits->seconds_per_wait < 0 ? 0 : limits->seconds_per_wait;
  }
}

const char* stitch_emulator_last_fault() { return last_fault(); }

void stitch_emulator_clear_fault() { clear_fault(); }

void stitch_emulator_get_counts(stitch_emulator_counts* result) { *result = counts; }

}  // extern "C"
