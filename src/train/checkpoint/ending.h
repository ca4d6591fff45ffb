// SPDX-License-Identifier: Apache-2.0
// SIGTERM, SIGINT and SIGHUP ask a run to end: it does so behind the step that it is at, with a checkpoint, as a
// machine wants that is taken back. A second one ends the process at once.
#pragma once

namespace stitch::train {

// Call once, before a run begins.
void end_runs_on_signals();
// Whether such a signal has come.
bool is_asked_to_end();

}  // namespace stitch::train
