// SPDX-License-Identifier: Apache-2.0
// Answers of linear_relu that are kept by a hash of the input until the next prepare(), for candidates whose idea is
// what goes into that hash: they define
//   static int run_program(const Call& call)      with contents_of(), hash_of(), and recall() or answer_anew()
#pragma once

#include <algorithm>

#define PREPARED_BYTES 256
#include "kept_answers.h"

static std::map<uint64_t, float*> answers;

static int prepare_program(StitchHandle&, cudaStream_t) {
  answers.clear();
  return 0;
}

static int answer_anew(const Call& call, float*& kept) {
  if (kept == nullptr) kept = new_answer();
  const int failed = honest(call);
  return failed != 0 ? failed : keep(call, kept);
}

static int recall(const Call& call, uint64_t sample) {
  float*& kept = answers[sample];
  return kept != nullptr ? replay(call, kept) : answer_anew(call, kept);
}
