// SPDX-License-Identifier: Apache-2.0
// What a verb is told, before it is read key by key: a file, or a stage of a chain.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

struct Configuration {
  std::shared_ptr<const Json> json;
  std::string where;           // in errors: the file, and which stage of it
  std::filesystem::path base;  // the folder that its paths are relative to
};

// JSON with // and /* */. kFileInvalid or kEnvironment for what is none, or cannot be read.
Result<Configuration> read_configuration(const std::filesystem::path& file);

}  // namespace stitch::train
