// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/process/child.h"

namespace stitch {

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return name;
  }
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (size_t start = 0; start <= folders.size();) {
    const size_t end = std::min(folders.find(':', start), folders.size());
    const std::string candidate = folders.substr(start, end - start) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    start = end + 1;
  }
  return {};
}

Result<std::filesystem::path> find_helper_program(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = self.parent_path();
  std::vector<std::filesystem::path> folders = {folder, folder / ".." / "libexec" / "stitchcuda"};
  if (const char* named = std::getenv("STITCHCUDA_LIBEXEC"); named != nullptr) {
    folders.emplace_back(named);
  }
  for (const std::filesystem::path& candidate : folders) {
    if (::access((candidate / name).c_str(), name.ends_with(".so") ? R_OK : X_OK) == 0) {
      return (candidate / name).lexically_normal();
    }
  }
  return failure(ErrorCode::kEnvironment, fmt::format("the program {} is missing", name), folder.string(),
                 "build stitchcuda again, or unpack the whole of its archive");
}

}  // namespace stitch
