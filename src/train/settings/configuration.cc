// SPDX-License-Identifier: Apache-2.0
#include "train/settings/configuration.h"

#include "base/fs/files.h"
#include "base/json/json.h"
#include "train/settings/section.h"

namespace stitch::train {

Result<Configuration> read_configuration(const std::filesystem::path& file) {
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(auto json, parse_commented_json(text, file.string()));
  return Configuration{std::move(json), file.string(), file.parent_path()};
}

}  // namespace stitch::train
