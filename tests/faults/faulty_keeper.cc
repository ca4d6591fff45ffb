// SPDX-License-Identifier: Apache-2.0
// stitchcuda-keeper-emulated with a fault.
#include <csignal>

#include "faulty.h"
#include "keeper/session/session.h"

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  stitch::wire::Channel channel{stitch::Descriptor(3)};
  stitch::keeper::Session session;
  const stitch::wire::Handler real = [&](stitch::wire::Request& request) { return session.handle(request); };
  return stitch::wire::serve(channel, stitch::faults::with_fault(real, 3)).has_value() ? 0 : 1;
}
