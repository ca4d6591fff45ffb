// SPDX-License-Identifier: Apache-2.0
// The verbs. Each prints its result through the session's reporter and answers with the exit status; an Error is
// printed by main.
#pragma once

#include "cli/commands/session.h"

namespace stitch::cli {

Result<int> run_import(Session& session);
Result<int> run_plan(Session& session);
Result<int> run_emit(Session& session);
Result<int> run_build(Session& session);
Result<int> run_verify(Session& session);
Result<int> run_admit(Session& session);
Result<int> run_reverify(Session& session);
Result<int> run_score(Session& session);
Result<int> run_profile(Session& session);
Result<int> run_optimize(Session& session);
Result<int> run_tune(Session& session);
Result<int> run_report(Session& session);
Result<int> run_cache(Session& session);
Result<int> run_doctor(Session& session);
Result<int> run_runs(Session& session);
Result<int> run_completion(Session& session);
Result<int> run_man(Session& session);

}  // namespace stitch::cli
