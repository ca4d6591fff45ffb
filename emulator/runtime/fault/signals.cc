// SPDX-License-Identifier: Apache-2.0
// A wild access or a stack overflow inside a kernel becomes a sentence and exit code 97. Outside a kernel, and in the
// checked build, the handlers that were there before stay in charge.
#include <signal.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstring>

#include "block/state.h"
#include "control/apart.h"
#include "fault/fault.h"
#include "fiber/fiber.h"
#include "fiber/sanitizer.h"

namespace stitch_emulator {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction previous[sizeof(kSignals) / sizeof(kSignals[0])];

const char* describe(int number, const siginfo_t* info, char* text, size_t bytes) {
  if (info->si_code <= 0) {
    snprintf(text, bytes, "signal %d was raised while a kernel ran", number);
    return text;
  }
  if (number == SIGFPE) {
    return "an integer was divided by zero";
  }
  if (number == SIGILL) {
    return "the kernel reached a place that cannot be reached";
  }
  if (info->si_code == SI_KERNEL) {
    return "a misaligned vector access, or a wild pointer";
  }
  if (in_guard_page(info->si_addr)) {
    return "a thread used more than 64 KB of stack";
  }
  snprintf(text, bytes, "an access to %p, which is not memory of this program", info->si_addr);
  return text;
}

// One that was sent is not repeated by going on: without this, raise() would be as if nothing had been.
void repeat_sent(int number, const siginfo_t* info) {
  if (info->si_code <= 0) {
    raise(number);  // comes once this handler has returned
  }
}

void chain(int number, siginfo_t* info, void* context) {
  for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); ++i) {
    if (kSignals[i] != number) {
      continue;
    }
    if (previous[i].sa_flags & SA_SIGINFO) {
      previous[i].sa_sigaction(number, info, context);
    } else {
      sigaction(number, &previous[i], nullptr);  // returning repeats the access, and the default action follows
      repeat_sent(number, info);
    }
  }
}

void on_signal(int number, siginfo_t* info, void* context) {
  if (!inside_block()) {
    if (number == SIGSEGV && is_kept_apart(info->si_addr)) {
      host_fault("host code read or wrote memory of the device, which it cannot on a GPU", nullptr, 0);
    }
    chain(number, info, context);
    return;
  }
  char text[128];
  const RunningLaunch launch = running_launch;
  host_fault(describe(number, info, text, sizeof(text)), launch.file, launch.line);
}

void use_alternate_stack() {
  constexpr size_t kBytes = 128 * 1024;
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return;
  }
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
}

}  // namespace

void install_signal_handlers() {
  static bool installed = false;
  if (installed || kChecked) {
    return;
  }
  installed = true;
  use_alternate_stack();
  for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); ++i) {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(kSignals[i], &action, &previous[i]);
  }
}

}  // namespace stitch_emulator
