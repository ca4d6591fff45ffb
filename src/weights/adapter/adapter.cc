// SPDX-License-Identifier: Apache-2.0
#include "weights/adapter/adapter.h"

#include <fmt/format.h>

#include <map>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/text/printable.h"
#include "weights/safetensors/write_safetensors.h"

namespace stitch::weights {
namespace {

constexpr const char* kConfigFile = "adapter_config.json";
constexpr const char* kWeightsFile = "adapter_model.safetensors";

Result<void> check_layer(const AdapterLayer& layer, int64_t rank) {
  const bool is_whole = layer.a.shape.size() == 2 && layer.b.shape.size() == 2;
  if (!is_whole || layer.a.shape[0] != rank || layer.b.shape[1] != rank) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("layer \"{}\" lacks one of its two matrices, or these are not of rank {}",
                               printable_line(layer.layer, 80), rank));
  }
  return {};
}

}  // namespace

Result<Adapter> Adapter::open(const std::filesystem::path& folder) {
  STITCH_ASSIGN(AdapterConfig config, read_adapter_config(folder / kConfigFile));
  STITCH_ASSIGN(SafetensorsFile file, SafetensorsFile::open(folder / kWeightsFile));
  Adapter adapter(std::move(config), std::move(file));
  const std::string path = (folder / kWeightsFile).string();
  if (const Result<void> collected = adapter.collect(); !collected.has_value()) {
    return located(Result<Adapter>(failure(with_context(collected.error(), path))), path, "train the adapter again");
  }
  return adapter;
}

Result<void> Adapter::collect() {
  std::map<std::string, AdapterLayer> layers;
  for (const TensorView& tensor : file_.tensors()) {
    const auto name = from_peft_name(tensor.name);
    if (!name.has_value()) {
      return failure(ErrorCode::kUnsupportedOperator,
                     fmt::format("tensor \"{}\" is no part of a LoRA adapter", printable_line(tensor.name, 80)));
    }
    AdapterLayer& layer = layers[name->layer];
    layer.layer = name->layer;
    (name->is_b ? layer.b : layer.a) = tensor;
  }
  for (auto& [name, layer] : layers) {
    STITCH_TRY(check_layer(layer, config_.rank));
    layers_.push_back(std::move(layer));
  }
  return {};
}

Result<void> write_adapter(const std::filesystem::path& folder, const AdapterConfig& config,
                           std::span<const AdapterLayer> layers) {
  std::vector<TensorView> tensors;
  for (const AdapterLayer& layer : layers) {
    for (const bool is_b : {false, true}) {
      tensors.push_back(is_b ? layer.b : layer.a);
      tensors.back().name = peft_name({layer.layer, is_b});
    }
  }
  STITCH_TRY(write_safetensors(folder / kWeightsFile, tensors, {{"format", "pt"}}));
  return write_file(folder / kConfigFile, to_json(config).dump(2) + "\n");
}

}  // namespace stitch::weights
