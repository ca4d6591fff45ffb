// SPDX-License-Identifier: Apache-2.0
// Where stitchcuda's own files lie: the same look-up serves a source tree, an unpacked tarball and an installation.
#pragma once

#include <filesystem>
#include <memory>

#include "base/error/result.h"

namespace stitch::driver {

class ForkedPython;

struct Resources {
  std::filesystem::path root;      // holds python/, runtime/, emulator/, report/, rubrics/, knowledge/
  std::filesystem::path programs;  // holds stitchcuda-worker-emulated and the other programs
  std::filesystem::path python;    // the interpreter that has PyTorch
  std::shared_ptr<ForkedPython>
      forked_python{};  // a process of it that has loaded PyTorch, for who asks first; or null

  std::filesystem::path python_path() const { return root / "python"; }
  std::filesystem::path report() const { return root / "report"; }
  std::filesystem::path rubrics() const { return root / "rubrics"; }
  std::filesystem::path cards() const { return root / "knowledge" / "cards"; }
  std::filesystem::path runtime() const { return root / "runtime"; }
  std::filesystem::path emulator_include() const { return root / "emulator" / "include"; }
};

// STITCHCUDA_RESOURCES and STITCHCUDA_PYTHON win over what is found.
Result<Resources> find_resources();

}  // namespace stitch::driver
