// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "base/fs/files.h"

namespace stitch {
namespace {

// From now on the next signal ends the process at once.
void restore_signals(const sigset_t& set) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGHUP, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

void exit_on_interrupt(std::string sentence, std::function<void()> last_words) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([set, sentence = std::move(sentence), last_words = std::move(last_words)] {
    int received = 0;
    sigwait(&set, &received);
    restore_signals(set);
    if (last_words) {
      last_words();
    }
    remove_temporary_directories();
    std::fprintf(stderr, "\n%s\n", sentence.c_str());
    _exit(130);
  }).detach();
}

}  // namespace stitch
