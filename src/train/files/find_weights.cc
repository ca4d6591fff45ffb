// SPDX-License-Identifier: Apache-2.0
#include "train/files/find_weights.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// What the adapter was made on: a relative path of its own words is relative to nobody knows what.
fs::path base_of(const fs::path& adapter, const fs::path& checkpoint) {
  for (const fs::path& beside : {checkpoint / "base", checkpoint / "base.gguf"}) {
    if (is_there(beside)) {
      return beside;
    }
  }
  const Result<std::string> text = read_file(adapter / "adapter_config.json");
  const Json config = Json::parse(text.has_value() ? *text : std::string(), nullptr, false);
  const auto named = config.is_object() ? config.find("base_model_name_or_path") : config.end();
  const fs::path base = named != config.end() && named->is_string() ? fs::path(named->get<std::string>()) : fs::path();
  return !base.empty() && is_there(base) ? base : fs::path();
}

}  // namespace

Result<FoundWeights> find_weights(const fs::path& path) {
  if (!is_there(path)) {
    return failure(ErrorCode::kFileInvalid, "there are no weights", path.string(),
                   "name a GGUF file, a folder of config.json and safetensors, or a checkpoint");
  }
  if (is_file(path) || is_file(path / "config.json")) {
    return FoundWeights{path, {}};
  }
  if (is_file(path / "model" / "config.json")) {
    return FoundWeights{path / "model", {}};
  }
  for (const fs::path& adapter : {path, path / "adapter"}) {
    if (is_file(adapter / "adapter_config.json")) {
      const fs::path base = base_of(adapter, path);
      return base.empty() ? Result<FoundWeights>(
                                failure(ErrorCode::kFileInvalid, "the base of the adapter is not where its config says",
                                        (adapter / "adapter_config.json").string(),
                                        fmt::format("put the base, or a link to it, at {} or {}",
                                                    (path / "base").string(), (path / "base.gguf").string())))
                          : FoundWeights{base, adapter};
    }
  }
  return failure(ErrorCode::kFileInvalid, "the folder holds neither a model nor an adapter", path.string(),
                 "name a GGUF file, a folder of config.json and safetensors, or a checkpoint");
}

}  // namespace stitch::train
