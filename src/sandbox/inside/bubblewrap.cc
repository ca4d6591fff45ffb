// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/bubblewrap.h"

#include <unistd.h>

#include "sandbox/inside/shown_path.h"
#include "sandbox/inside/system_folders.h"

namespace stitch::sandbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kBubblewrap = "/usr/bin/bwrap";

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

void show(Words& words, const char* how, const std::vector<fs::path>& paths) {
  for (const ShownPath& shown : shown_paths(paths)) {
    add(words, {how, shown.source.string(), shown.target.string()});
  }
}

void show_system(Words& words, bool gpu) {
  for (const fs::path& path : system_folders()) {
    std::error_code error;
    if (fs::is_symlink(path, error)) {
      add(words, {"--symlink", fs::read_symlink(path, error).string(), path.string()});
    } else {
      add(words, {"--ro-bind", path.string(), path.string()});
    }
  }
  for (const fs::path& path : system_devices(gpu)) {
    add(words, {"--dev-bind", path.string(), path.string()});
  }
}

}  // namespace

bool is_bubblewrap_installed() { return ::access(kBubblewrap, X_OK) == 0; }

CageOrder ordered_through_bubblewrap(const CageOrder& order) {
  const CagePolicy& policy = order.policy;
  const fs::path self = fs::read_symlink("/proc/self/exe");
  Words words = {kBubblewrap,
                 "--unshare-user",
                 "--unshare-pid",
                 "--unshare-net",
                 "--unshare-ipc",
                 "--unshare-uts",
                 "--unshare-cgroup-try",
                 "--die-with-parent",
                 "--new-session",
                 "--cap-drop",
                 "ALL"};
  add(words, {"--size", std::to_string(policy.scratch_bytes), "--tmpfs", "/tmp"});
  show_system(words, policy.gpu);
  std::vector<fs::path> readable = policy.data;  // it knows no mounts without code
  readable.insert(readable.end(), policy.readable.begin(), policy.readable.end());
  readable.insert(readable.end(), {self, order.command.front()});
  show(words, "--ro-bind", readable);
  show(words, "--bind", policy.writable);
  if (policy.gpu) {
    show(words, "--ro-bind", driver_folders());
    add(words, {"--size", std::to_string(policy.scratch_bytes), "--tmpfs", "/dev/shm"});
  }
  add(words, {"--proc", "/proc", "--remount-ro", "/"});
  std::error_code error;
  const fs::path working_folder = fs::current_path(error);
  const bool shown = !policy.writable.empty();
  add(words, {"--chdir", shown ? working_folder.string() : "/", "--", self.string()});
  CageOrder inside = order;
  inside.inside = true;
  add(words, to_arguments(inside));
  CageOrder outside = order;
  outside.command = words;
  return outside;
}

}  // namespace stitch::sandbox
