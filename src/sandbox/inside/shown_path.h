// SPDX-License-Identifier: Apache-2.0
// The names under which a path of a policy is visible in the cage.
#pragma once

#include <filesystem>
#include <vector>

namespace stitch::sandbox {

struct ShownPath {
  std::filesystem::path source;  // without symbolic links
  std::filesystem::path target;
};

// Each that exists: under its true name, which programs ask for when they look for what lies beside them, and under the
// one it was given. What the system's folders show anyway is left out, a link in them included.
std::vector<ShownPath> shown_paths(const std::vector<std::filesystem::path>& paths);

}  // namespace stitch::sandbox
