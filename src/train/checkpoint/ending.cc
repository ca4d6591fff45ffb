// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/ending.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace stitch::train {
namespace {

volatile std::sig_atomic_t asked = 0;

void ask(int) {
  constexpr std::string_view kSaid =
      "stitchcuda-train: the run ends behind this step, with a checkpoint; a second signal ends it at once\n";
  asked = 1;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSaid.data(), kSaid.size());
}

}  // namespace

void end_runs_on_signals() {
  struct sigaction action {};
  action.sa_handler = ask;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {  // of nohup, say
      ::sigaction(signal, &action, nullptr);
    }
  }
}

bool is_asked_to_end() { return asked != 0; }

}  // namespace stitch::train
