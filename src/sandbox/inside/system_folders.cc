// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/system_folders.h"

#include <string>
#include <system_error>

namespace stitch::sandbox {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> existing(std::initializer_list<const char*> names) {
  std::vector<fs::path> found;
  for (const char* name : names) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(name, error))) {
      found.emplace_back(name);
    }
  }
  return found;
}

}  // namespace

std::vector<fs::path> system_folders() {
  return existing({"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc/ld.so.cache",
                   "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/sys/devices/system/cpu",
                   "/sys/devices/system/node", "/nix/store", "/gnu/store"});
}

std::vector<fs::path> system_devices(bool gpu) {
  std::vector<fs::path> devices = existing({"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"});
  std::error_code error;
  for (fs::directory_iterator entry("/dev", error), end; gpu && !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().rfind("nvidia", 0) == 0) {  // nodes, and the folder nvidia-caps
      devices.push_back(entry->path());
    }
  }
  return devices;
}

std::vector<fs::path> driver_folders() { return existing({"/sys"}); }

}  // namespace stitch::sandbox
