// SPDX-License-Identifier: Apache-2.0
// Which files a path to weights means.
#pragma once

#include <filesystem>

#include "base/error/result.h"

namespace stitch::train {

struct FoundWeights {
  std::filesystem::path model{};    // a folder as transformers writes it, or a GGUF file
  std::filesystem::path adapter{};  // as PEFT writes it; empty: none
};

// A GGUF file; a folder with config.json; a checkpoint with model/ or adapter/, as `train` writes it; an adapter, whose
// base is base/ or base.gguf beside it, else what its adapter_config.json names. kFileInvalid for what is none of
// these.
Result<FoundWeights> find_weights(const std::filesystem::path& path);

}  // namespace stitch::train
