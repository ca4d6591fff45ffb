// SPDX-License-Identifier: Apache-2.0
#include "driver/job/resources.h"

#include <cstdlib>
#include <vector>

#include "driver/job/resources_beside.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

Result<Resources> find_resources() { return resources_beside(own_folder()); }

Result<Resources> resources_beside(const fs::path& programs) {
  Resources found;
  found.programs = programs;
  const std::vector<fs::path> roots = {from_environment("STITCHCUDA_RESOURCES"),
                                       found.programs.parent_path() / "share" / "stitchcuda",
                                       found.programs.parent_path()};
  for (const fs::path& root : roots) {
    if (!root.empty() && is_there(root / "python" / "stitchcuda_python")) {
      found.root = root;
      break;
    }
  }
  if (found.root.empty()) {
    return failure(ErrorCode::kEnvironment, "stitchcuda's own files (python/, runtime/, emulator/) were not found",
                   found.programs.string(), "unpack the whole tarball, or set STITCHCUDA_RESOURCES to their folder");
  }
  found.python = from_environment("STITCHCUDA_PYTHON");
  if (found.python.empty()) {
    const fs::path own = found.root / ".venv" / "bin" / "python";
    found.python = is_there(own) ? own : fs::path("python3");
  }
  return found;
}

}  // namespace stitch::driver
