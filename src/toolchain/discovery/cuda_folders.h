// SPDX-License-Identifier: Apache-2.0
// Where a CUDA toolkit may lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stitch::toolchain {

// Folders that may hold bin/nvcc, include/ and lib*/ of a toolkit, the most explicit choice first. Not all exist.
std::vector<std::filesystem::path> cuda_folders();

// The folders that hold cuBLASLt's and cuDNN's shared libraries: PyTorch's own (`python` is its interpreter) before a
// toolkit's. Empty where neither is installed.
std::vector<std::string> cuda_library_folders(const std::filesystem::path& python);

// The first of folder/name that exists; empty when none does.
std::filesystem::path first_existing(const std::vector<std::filesystem::path>& folders,
                                     const std::vector<std::string>& names);

// The folder of the running program and its parents, nearest first.
std::vector<std::filesystem::path> folders_upwards(int levels);

}  // namespace stitch::toolchain
