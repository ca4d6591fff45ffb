// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/probe.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/process/descriptor.h"
#include "sandbox/inside/attempt.h"
#include "sandbox/inside/bubblewrap.h"
#include "sandbox/inside/control_group.h"
#include "sandbox/inside/landlock.h"
#include "sandbox/inside/run_caged.h"

namespace stitch::sandbox {
namespace {

constexpr const char* kNothing = "/usr/bin/true";

// A cage with these layers around a program that does nothing. Empty when it worked, else why not.
std::string try_cage(Maker maker, const std::vector<Layer>& active) {
  CageOrder order;
  order.layers = {.maker = maker, .active = active};
  order.policy.may_start_programs = true;
  order.command = {::access(kNothing, X_OK) == 0 ? kNothing : "/bin/true"};
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return "no file descriptors left";
  }
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid == 0) {
    order.report = ::dup(write_end.get());  // survives the start of bubblewrap
    const int silent = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(silent, STDOUT_FILENO);
    ::dup2(silent, STDERR_FILENO);
    run_caged(order);
  }
  write_end.reset();
  std::string told;
  char buffer[512];
  for (ssize_t size = 0; (size = ::read(read_end.get(), buffer, sizeof(buffer))) > 0;) {
    told.append(buffer, static_cast<size_t>(size));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (told == std::string(1, kReady) && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  return told.size() <= 1 ? "a program in it ended at once" : told;
}

std::string read_word(const char* path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// The setting that stands in the way, where it is known.
std::string namespace_remedy(const std::string& reason) {
  if (reason.find("chroot") != std::string::npos) {
    return "enter that folder by pivot_root or as a container instead of by chroot";
  }
  if (read_word("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "sudo sysctl -w kernel.unprivileged_userns_clone=1";
  }
  if (read_word("/proc/sys/user/max_user_namespaces") == "0") {
    return "sudo sysctl -w user.max_user_namespaces=15000";
  }
  if (read_word("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return is_bubblewrap_installed() ? "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
                                     : "sudo apt-get install bubblewrap";
  }
  return "in a container: docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined ...";
}

void add_layer(Layers& layers, Layer layer, const std::string& why_not, const std::string& remedy) {
  if (why_not.empty()) {
    layers.active.push_back(layer);
  } else {
    std::string reason = why_not;
    std::replace_if(reason.begin(), reason.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    layers.missing.push_back({layer, reason, remedy});
  }
}

std::vector<Maker> makers() {
  if (::geteuid() == 0) {
    return {Maker::kRoot, Maker::kUserNamespace};  // root gives the cage a user of its own: more than bubblewrap does
  }
  return is_bubblewrap_installed() ? std::vector{Maker::kBubblewrap, Maker::kUserNamespace}
                                   : std::vector{Maker::kUserNamespace};
}

struct Namespaces {
  Maker maker = Maker::kNobody;
  std::string files_missing;
  std::string processes_missing;
};

// Both together first; then each alone, whoever makes it.
Namespaces probe_namespaces() {
  std::string reason;
  for (const Maker maker : makers()) {
    const std::string both = try_cage(maker, {Layer::kFiles, Layer::kProcesses});
    if (both.empty()) {
      return {maker, "", ""};
    }
    reason = reason.empty() || maker != Maker::kUserNamespace ? both : reason;
  }
  for (const Maker maker : makers()) {
    if (maker != Maker::kBubblewrap && try_cage(maker, {Layer::kProcesses}).empty()) {
      return {maker, reason, ""};
    }
  }
  for (const Maker maker : makers()) {
    if (maker != Maker::kBubblewrap && try_cage(maker, {Layer::kFiles}).empty()) {
      return {maker, "", reason};
    }
  }
  return {Maker::kNobody, reason, reason};
}

std::string probe_user(Maker maker) {
  if (maker == Maker::kUserNamespace || maker == Maker::kBubblewrap) {
    return {};
  }
  if (::geteuid() != 0) {
    return "without a user namespace it runs as you do";
  }
  return try_cage(maker, {Layer::kUser});
}

}  // namespace

Layers probe_layers() {
  Layers layers;
  const Namespaces namespaces = probe_namespaces();
  layers.maker = namespaces.maker;
  const std::string remedy = namespace_remedy(namespaces.files_missing);
  add_layer(layers, Layer::kFiles, namespaces.files_missing, remedy);
  add_layer(layers, Layer::kProcesses, namespaces.processes_missing, remedy);
  add_layer(layers, Layer::kUser, probe_user(layers.maker), remedy);
  const Result<int> landlock = landlock_version();
  add_layer(
      layers, Layer::kLandlock,
      landlock.has_value() ? try_cage(Maker::kNobody, {Layer::kLandlock}) : landlock.error().message,
      "start the kernel (5.13 or later, CONFIG_SECURITY_LANDLOCK) with lsm=landlock,... in front of its other modules");
  add_layer(layers, Layer::kSystemCalls, try_cage(Maker::kNobody, {Layer::kSystemCalls}),
            "use a kernel with CONFIG_SECCOMP_FILTER");
  const Result<std::string> group = delegated_group();
  add_layer(layers, Layer::kGroup, group.has_value() ? "" : group.error().message,
            "systemd-run --user --scope -p Delegate=yes stitchcuda ...");
  return layers;
}

}  // namespace stitch::sandbox
