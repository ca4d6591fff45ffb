// SPDX-License-Identifier: Apache-2.0
#include "toolchain/discovery/cuda_folders.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

void add_path_folders(std::vector<fs::path>& folders) {
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const size_t end = std::min(left.find(':'), left.size());
    std::error_code ignored;
    const fs::path program = fs::canonical(fs::path(left.substr(0, end)) / "nvcc", ignored);
    if (!program.empty()) {
      folders.push_back(program.parent_path().parent_path());
    }
    left.remove_prefix(std::min(end + 1, left.size()));
  }
}

// site-packages/nvidia/{cu13, cuda_nvcc, cuda_runtime ...} of one virtual environment.
void add_package_folders(const fs::path& environment, std::vector<fs::path>& folders) {
  std::error_code ignored;
  for (const auto& python : fs::directory_iterator(environment / "lib", ignored)) {
    std::vector<fs::path> packages;
    for (const auto& package : fs::directory_iterator(python.path() / "site-packages" / "nvidia", ignored)) {
      packages.push_back(package.path());
    }
    std::sort(packages.rbegin(), packages.rend());  // the newest toolkit first: cu13 before cu12
    folders.insert(folders.end(), packages.begin(), packages.end());
  }
}

// The folder of libraries under `toolkit` that holds `library`, with or without a version behind its name; "" for none.
std::string folder_with(const fs::path& toolkit, const std::string& library) {
  for (const char* name : {"lib", "lib64"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(toolkit / name, ignored)) {
      if (entry.path().filename().string().starts_with(library)) {
        return (toolkit / name).string();
      }
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> cuda_library_folders(const fs::path& python) {
  std::vector<fs::path> folders;
  add_package_folders(python.parent_path().parent_path(), folders);
  const std::vector<fs::path> toolkits = cuda_folders();
  folders.insert(folders.end(), toolkits.begin(), toolkits.end());
  std::vector<std::string> found;
  for (const char* library : {"libcublasLt.so", "libcudnn.so"}) {
    for (const fs::path& folder : folders) {
      const std::string path = folder_with(folder, library);
      if (!path.empty()) {
        if (std::find(found.begin(), found.end(), path) == found.end()) {
          found.push_back(path);
        }
        break;
      }
    }
  }
  return found;
}

std::vector<fs::path> folders_upwards(int levels) {
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> folders;
  for (int level = 0; level < levels && folder.has_relative_path(); ++level) {
    folders.push_back(folder);
    folder = folder.parent_path();
  }
  return folders;
}

std::vector<fs::path> cuda_folders() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      folders.emplace_back(value);
    }
  }
  add_path_folders(folders);
  if (const char* environment = std::getenv("VIRTUAL_ENV"); environment != nullptr) {
    add_package_folders(environment, folders);
  }
  for (const fs::path& folder : folders_upwards(5)) {
    add_package_folders(folder / ".venv", folders);
  }
  add_package_folders(fs::path(".venv"), folders);
  folders.emplace_back("/usr/local/cuda");
  folders.emplace_back("/usr");
  return folders;
}

fs::path first_existing(const std::vector<fs::path>& folders, const std::vector<std::string>& names) {
  for (const fs::path& folder : folders) {
    for (const std::string& name : names) {
      std::error_code ignored;
      if (fs::exists(folder / name, ignored)) {
        return fs::absolute(folder / name, ignored).lexically_normal();
      }
    }
  }
  return {};
}

}  // namespace stitch::toolchain
