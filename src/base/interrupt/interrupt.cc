// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "base/fs/files.h"

namespace stitch {

void exit_on_interrupt(std::string sentence) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([set, sentence = std::move(sentence)] {
    int received = 0;
    sigwait(&set, &received);
    remove_temporary_directories();
    std::fprintf(stderr, "\n%s\n", sentence.c_str());
    _exit(130);
  }).detach();
}

}  // namespace stitch
