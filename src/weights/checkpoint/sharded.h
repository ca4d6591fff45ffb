// SPDX-License-Identifier: Apache-2.0
// A model's weights in one safetensors file or in several with an index (model.safetensors.index.json).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "weights/safetensors/safetensors_file.h"

namespace stitch::weights {

// The files that hold the weights of `folder`. kFileInvalid where there are none, where the index names a file outside
// of the folder, or where it and the files do not agree on which tensor lies where.
Result<std::vector<SafetensorsFile>> open_sharded(const std::filesystem::path& folder);

// model.safetensors, or shards of at most `max_shard_bytes` (a larger tensor has one of its own) with their index.
// An old file of such a name that is no part of the new set is removed.
Result<void> write_sharded(const std::filesystem::path& folder, std::span<const TensorView> tensors,
                           int64_t max_shard_bytes, const std::map<std::string, std::string>& metadata = {});

}  // namespace stitch::weights
