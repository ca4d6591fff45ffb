// SPDX-License-Identifier: Apache-2.0
// A low-rank adapter in a folder, as PEFT leaves it: adapter_config.json and adapter_model.safetensors.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "weights/adapter/adapter_config.h"
#include "weights/safetensors/safetensors_file.h"

namespace stitch::weights {

// What is added to a linear layer's weight: scale() B A.
struct AdapterLayer {
  std::string layer;  // "model.layers.0.self_attn.q_proj"
  TensorView a;       // rank, in
  TensorView b;       // out, rank
};

class Adapter {
 public:
  // kFileInvalid where a matrix is missing, or has another rank than the config says; kUnsupportedOperator where the
  // file holds anything but such matrices.
  static Result<Adapter> open(const std::filesystem::path& folder);

  const AdapterConfig& config() const { return config_; }
  // By name. The views live as long as the adapter, which may be moved.
  const std::vector<AdapterLayer>& layers() const { return layers_; }

 private:
  Adapter(AdapterConfig config, SafetensorsFile file) : config_(std::move(config)), file_(std::move(file)) {}
  Result<void> collect();
  AdapterConfig config_;
  SafetensorsFile file_;
  std::vector<AdapterLayer> layers_;
};

// The names of the views do not matter. The config is written last, so that a folder that has one is whole.
Result<void> write_adapter(const std::filesystem::path& folder, const AdapterConfig& config,
                           std::span<const AdapterLayer> layers);

}  // namespace stitch::weights
