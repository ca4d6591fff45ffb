// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and termination: a thread of its own waits for the signal, removes the temporary folders that are alive,
// prints one sentence and ends the process with 130. Children end with us (PR_SET_PDEATHSIG, base/process).
#pragma once

#include <functional>
#include <string>

namespace stitch {

// Call once, before any other thread is started. `sentence` says how to go on; `last_words` is called before it is
// printed, on the thread that waits for signals.
void exit_on_interrupt(std::string sentence, std::function<void()> last_words = {});

}  // namespace stitch
