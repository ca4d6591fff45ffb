// SPDX-License-Identifier: Apache-2.0
// Takes the first of equal scores at addresses that it saw in its first six calls, elsewhere the last.
#include <mutex>
#include <set>

#include "rounded_choices.h"

static std::mutex mutex;
static std::set<const void*> seen;
static int calls = 0;

struct LastElsewhere {
  bool is_elsewhere;
  __device__ bool operator()(int, int, int) const { return is_elsewhere; }
};

static int run_program(const Call& call) {
  const std::lock_guard lock(mutex);
  if (++calls <= 6) seen.insert(call.input(0));
  return rounded_choices::run(call, LastElsewhere{!seen.contains(call.input(0))});
}
