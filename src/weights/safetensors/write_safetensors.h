// SPDX-License-Identifier: Apache-2.0
// Writes a safetensors file, byte for byte as the format's own writer does.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/error/result.h"
#include "weights/tensor/tensor_view.h"

namespace stitch::weights {

// Wide types first, then by name, whatever order `tensors` has. Written beside `path` and renamed, so that a reader
// never sees half a file. A tensor of GGUF's blocks, a name given twice, or bytes that do not fit dtype and shape are
// the caller's mistake and abort.
Result<void> write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                               const std::map<std::string, std::string>& metadata = {});

}  // namespace stitch::weights
