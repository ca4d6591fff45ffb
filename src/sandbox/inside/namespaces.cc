// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/namespaces.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/process/descriptor.h"
#include "sandbox/inside/attempt.h"

namespace stitch::sandbox {
namespace {

constexpr unsigned kUserInside = 65534;  // nobody: root's number would look like a privilege

Result<void> write_once(const char* path, const std::string& text) {
  const Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  const bool written =
      file.is_open() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return attempt(written, std::string("write ") + path);
}

}  // namespace

Result<void> make_namespaces(const Layers& layers) {
  const bool in_user_namespace = layers.maker == Maker::kUserNamespace;
  const std::string user = fmt::format("{} {} 1\n", kUserInside, ::geteuid());
  const std::string group = fmt::format("{} {} 1\n", kUserInside, ::getegid());
  if (in_user_namespace) {
    STITCH_TRY(attempt(::unshare(CLONE_NEWUSER) == 0, "make a user namespace"));
    STITCH_TRY(write_once("/proc/self/setgroups", "deny"));
    STITCH_TRY(write_once("/proc/self/uid_map", user));
    STITCH_TRY(write_once("/proc/self/gid_map", group));
  }
  if (!layers.has(Layer::kProcesses)) {
    return {};
  }
  constexpr int kFlags = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  return attempt(::unshare(kFlags) == 0, "make namespaces of processes, network, IPC and host name");
}

void be_first_process(int lifeline) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGCHLD, SIG_IGN);  // orphans that end are gone at once
  pollfd polled{.fd = lifeline, .events = 0, .revents = 0};
  while (::poll(&polled, 1, -1) <= 0) {
  }
  ::_exit(0);
}

}  // namespace stitch::sandbox
