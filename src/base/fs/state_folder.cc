// SPDX-License-Identifier: Apache-2.0
#include "base/fs/state_folder.h"

#include <cstdlib>
#include <string>

namespace stitch {
namespace {

std::filesystem::path folder_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::filesystem::path> state_folder() {
  if (const std::filesystem::path named = folder_of_variable("STITCHCUDA_STATE"); !named.empty()) {
    return named;
  }
  if (const std::filesystem::path base = folder_of_variable("XDG_STATE_HOME"); !base.empty()) {
    return base / "stitchcuda";
  }
  if (const std::filesystem::path home = folder_of_variable("HOME"); !home.empty()) {
    return home / ".local" / "state" / "stitchcuda";
  }
  return failure(ErrorCode::kEnvironment, "there is no folder for records of runs: HOME is not set", "",
                 "set STITCHCUDA_STATE to a folder you may write to");
}

}  // namespace stitch
