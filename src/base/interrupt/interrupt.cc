// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include "base/fs/files.h"
#include "base/process/last_will.h"

namespace stitch {
namespace {

std::mutex handling;  // held from the first signal on
bool over = false;
std::function<void(int)> first_signal;  // under `handling`

// A wrapper (timeout, make, a shell) passes on the signal that the terminal has already sent to the whole group: the
// same wish twice. A person who presses again takes longer.
constexpr std::chrono::milliseconds kSameWish{500};

// From now on the next signal ends the process at once.
void let_the_next_one_kill(const sigset_t& set) {
  std::this_thread::sleep_for(kSameWish);
  const timespec no_time{};
  while (sigtimedwait(&set, nullptr, &no_time) > 0) {
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);
  }
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// A signal that the process goes on after; empty for one that ends it.
std::function<void(int)> take_first_signal() {
  const std::lock_guard lock(handling);
  return over ? std::function<void(int)>() : std::exchange(first_signal, {});
}

}  // namespace

void exit_on_interrupt(OnInterrupt handlers) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([set, handlers = std::move(handlers)] {
    int received = 0;
    sigwait(&set, &received);
    if (const std::function<void(int)> instead = take_first_signal()) {
      instead(received);
      // A wrapper's copy of the same wish is none of its own.
      std::this_thread::sleep_for(kSameWish);
      const timespec no_time{};
      while (sigtimedwait(&set, nullptr, &no_time) > 0) {
      }
      sigwait(&set, &received);
    }
    std::thread(let_the_next_one_kill, set).detach();
    const std::lock_guard lock(handling);
    if (over) {
      std::raise(received);
    }
    handlers.before();
    end_all_children();
    remove_temporary_directories();
    handlers.after();
    _exit(130);
  }).detach();
}

void on_first_signal(std::function<void(int signal)> what) {
  const std::lock_guard lock(handling);
  first_signal = std::move(what);
}

void stop_handling_interrupts() {
  const std::lock_guard lock(handling);
  over = true;
}

}  // namespace stitch
