// SPDX-License-Identifier: Apache-2.0
// The disposable process that runs one candidate on memory it is lent. Its channel is descriptor 3 and moves out of the
// way at once: a candidate that writes to low numbers by mistake should not speak for us.
// With --device it opens the device, says its name, and ends: whether workers can use it from where they are.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "device/facts.h"
#include "worker/session/session.h"

namespace {

#ifdef STITCH_WORKER_MIRRORED
constexpr bool kMirrored = true;
#else
constexpr bool kMirrored = false;
#endif

constexpr int kChannelNumber = 3;
constexpr int kOutOfTheWay = 500;

int name_device() {
  const auto facts = stitch::device::open_device(0);
  fmt::print("{}\n", facts.has_value() ? facts->name : facts.error().message);
  return facts.has_value() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string_view(words[1]) == "--device") {
    return name_device();
  }
  std::signal(SIGPIPE, SIG_IGN);
  // Orphans of a candidate become ours, and hence stay in the tree that the supervisor kills.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int moved = ::fcntl(kChannelNumber, F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (moved < 0) {
    fmt::print(stderr, "stitchcuda-worker: no channel on descriptor {}; start it through stitchcuda\n", kChannelNumber);
    return 1;
  }
  ::close(kChannelNumber);
  stitch::wire::Channel channel{stitch::Descriptor(moved)};
  stitch::worker::Session session(kMirrored);
  const auto served =
      stitch::wire::serve(channel, [&](stitch::wire::Request& request) { return session.handle(request); });
  // No destructors of the candidate: it has nothing left to say.
  ::_exit(served.has_value() ? 0 : 1);
}
