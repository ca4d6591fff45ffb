// SPDX-License-Identifier: Apache-2.0
// What the verbs answer with --json, as parts of a result. Members that an answer does not have leave the result as it
// was.
#pragma once

#include "base/json/json_forward.h"
#include "bench/record/task_result.h"

namespace stitch::bench {

// `optimize --json`, or its error.
void read_optimized(const Json& answer, TaskResult& result);
// `verify --candidate --json`, or its error.
void read_judged(const Json& answer, TaskResult& result);
// The member `admission` of `admit --json`.
void read_admission(const Json& admission, TaskResult& result);
// evidence/verify.json, or the `report` of `verify --json`: what others' rules say of the draws as the file makes them.
void read_others(const Json& report, TaskResult& result);
// The member `measured` of both: the time, and that of `baseline`.
void read_measured(const Json& measured, TaskResult& result);

}  // namespace stitch::bench
