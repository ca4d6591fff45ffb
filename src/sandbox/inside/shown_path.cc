// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/shown_path.h"

#include <algorithm>

#include "sandbox/inside/system_folders.h"

namespace stitch::sandbox {
namespace {

namespace fs = std::filesystem;

bool is_beneath(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

std::vector<ShownPath> shown_paths(const std::vector<fs::path>& paths) {
  const std::vector<fs::path> system = system_folders();
  const auto is_shown_anyway = [&](const fs::path& path) {
    return std::any_of(system.begin(), system.end(), [&](const fs::path& folder) { return is_beneath(path, folder); });
  };
  std::vector<ShownPath> shown;
  std::vector<ShownPath> aliases;
  for (const fs::path& path : paths) {
    std::error_code error;
    const fs::path source = fs::canonical(path, error);
    if (error) {
      continue;  // it is not there: nothing to show
    }
    const fs::path target = fs::absolute(path).lexically_normal();
    if (!is_shown_anyway(source)) {
      shown.push_back({source, source});
    }
    if (source != target && !is_shown_anyway(target)) {
      aliases.push_back({source, target});
    }
  }
  const auto folder_first = [](const ShownPath& a, const ShownPath& b) {
    return a.target.native().size() < b.target.native().size();  // a folder before what lies in it
  };
  std::stable_sort(shown.begin(), shown.end(), folder_first);
  // A link may lie in a folder that is shown: then it must find there what it points to.
  std::stable_sort(aliases.begin(), aliases.end(), folder_first);
  shown.insert(shown.end(), aliases.begin(), aliases.end());
  return shown;
}

}  // namespace stitch::sandbox
