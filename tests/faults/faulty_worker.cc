// SPDX-License-Identifier: Apache-2.0
// stitchcuda-worker-emulated with a fault: src/worker/worker_main.cc says what each line is for.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "faulty.h"
#include "worker/session/session.h"

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  const int moved = ::fcntl(3, F_DUPFD_CLOEXEC, 500);
  ::close(3);
  stitch::wire::Channel channel{stitch::Descriptor(moved)};
  stitch::worker::Session session(false);
  const stitch::wire::Handler real = [&](stitch::wire::Request& request) { return session.handle(request); };
  ::_exit(stitch::wire::serve(channel, stitch::faults::with_fault(real, moved)).has_value() ? 0 : 1);
}
