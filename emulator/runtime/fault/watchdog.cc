// SPDX-License-Identifier: Apache-2.0
// A thread that spins on memory without an atomic never lets others run. A timer on this process's CPU time notices
// that nothing has happened for too long.
#include <signal.h>
#include <time.h>

#include "block/state.h"
#include "control/counts.h"
#include "fault/fault.h"

namespace stitch_emulator {
namespace {

volatile uint64_t seen_progress = 0;
volatile int seconds_without_progress = 0;

uint64_t progress() { return counts.switches + counts.blocks + static_cast<uint64_t>(block.current) + counts.launches; }

void on_tick(int) {
  if (!inside_block() || settings.limits.seconds_per_wait <= 0 || progress() != seen_progress) {
    seen_progress = progress();
    seconds_without_progress = 0;
    return;
  }
  seconds_without_progress = seconds_without_progress + 1;
  if (seconds_without_progress >= settings.limits.seconds_per_wait) {
    host_fault(
        "a thread ran for the whole time limit without waiting or ending; a block must not spin on a later block or "
        "on the host, and a loop must end",
        running_launch.file, running_launch.line);
  }
}

}  // namespace

void install_watchdog() {
  static bool installed = false;
  if (installed) {
    return;
  }
  installed = true;
  const int number = SIGRTMIN + 5;
  struct sigaction action {};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(number, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = number;
  timer_t timer{};
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) {
    return;
  }
  const itimerspec every_second{{1, 0}, {1, 0}};
  timer_settime(timer, 0, &every_second, nullptr);
}

}  // namespace stitch_emulator
