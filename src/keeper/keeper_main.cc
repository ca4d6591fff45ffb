// SPDX-License-Identifier: Apache-2.0
// The trusted process that owns memory and clock. Its channel is descriptor 3; it ends when the supervisor does.
#include <fmt/format.h>

#include <csignal>

#include "keeper/session/session.h"

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  stitch::wire::Channel channel{stitch::Descriptor(3)};
  stitch::keeper::Session session;
  const auto served =
      stitch::wire::serve(channel, [&](stitch::wire::Request& request) { return session.handle(request); });
  if (!served.has_value()) {
    fmt::print(stderr, "stitchcuda-keeper: {}\n", served.error().message);
    return 1;
  }
  return 0;
}
