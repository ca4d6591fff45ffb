// SPDX-License-Identifier: Apache-2.0
// What an extension of PyTorch is built against: the user's own PyTorch and Python.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stitch::toolchain {

struct TorchKit {
  std::vector<std::filesystem::path> includes;  // of PyTorch, then of Python
  std::filesystem::path libraries;              // the folder of libtorch_cpu.so
  std::string identity;                         // versions of both: part of every build key
  std::vector<std::string> macros{};            // flags that define or undefine one: "-DTORCH_EXTENSION_NAME=name"
  bool has_cxx11_strings = true;                // the C++ library's ABI that this PyTorch was built with
};

}  // namespace stitch::toolchain
