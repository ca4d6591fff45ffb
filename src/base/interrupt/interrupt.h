// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and termination: a thread of its own waits for the signal, ends all children with theirs, removes the
// temporary folders that are alive, and ends the process with 130. A second signal, half a second later or more, ends
// it at once.
#pragma once

#include <functional>

namespace stitch {

struct OnInterrupt {
  std::function<void()> before;  // the children are still there: from here on nothing else may be printed
  std::function<void()> after;   // everything is gone: the last word
};

// Call once, before any other thread is started; both are called on the thread that waits for signals.
void exit_on_interrupt(OnInterrupt handlers);

// From now on the first signal calls this, on the thread that waits for signals, in place of ending the process; the
// next one ends it. `what` must last as long as the process. SIGTERM, SIGINT or SIGHUP.
void on_first_signal(std::function<void(int signal)> what);

// Call at the end, before what the handlers use is destroyed. Does not return once a signal has come, so that the exit
// status is the interruption's; a later signal ends the process at once.
void stop_handling_interrupts();

}  // namespace stitch
