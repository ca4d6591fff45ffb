// SPDX-License-Identifier: Apache-2.0
// The verbs. Each prints its result through the session's reporter and answers with the exit status; an Error is
// printed by main.
#pragma once

#include "cli/commands/invocation.h"

namespace stitch::cli {

Result<int> run_import(Invocation& invocation);
Result<int> run_plan(Invocation& invocation);
Result<int> run_emit(Invocation& invocation);
Result<int> run_build(Invocation& invocation);
Result<int> run_verify(Invocation& invocation);
Result<int> run_admit(Invocation& invocation);
Result<int> run_reverify(Invocation& invocation);
Result<int> run_score(Invocation& invocation);
Result<int> run_profile(Invocation& invocation);
Result<int> run_optimize(Invocation& invocation);
Result<int> run_tune(Invocation& invocation);
Result<int> run_report(Invocation& invocation);
Result<int> run_synth(Invocation& invocation);
Result<int> run_decontaminate(Invocation& invocation);
Result<int> run_bench(Invocation& invocation);
Result<int> run_leaderboard(Invocation& invocation);
Result<int> run_harvest(Invocation& invocation);
Result<int> run_train(Invocation& invocation);
Result<int> run_mcp(Invocation& invocation);
Result<int> run_serve(Invocation& invocation);
Result<int> run_serve_model(Invocation& invocation);
Result<int> run_work(Invocation& invocation);
Result<int> run_workspace(Invocation& invocation);
Result<int> run_cache(Invocation& invocation);
Result<int> run_doctor(Invocation& invocation);
Result<int> run_docs(Invocation& invocation);
Result<int> run_runs(Invocation& invocation);
Result<int> run_completion(Invocation& invocation);
Result<int> run_man(Invocation& invocation);

}  // namespace stitch::cli
