// SPDX-License-Identifier: Apache-2.0
// Models and adapters in the folders that transformers and PEFT read and write.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.h"
#include "train/model/decoder.h"

namespace stitch::train {

struct Placement {
  at::Device device = at::kCPU;
  at::ScalarType type = at::kFloat;  // of the base; adapters and value heads are fp32
};

// A folder of Hugging Face's or a GGUF file (weights/checkpoint/checkpoint.h).
Result<Decoder> read_model(const std::filesystem::path& path, const Placement& placement);
// Its sizes, without reading its weights.
Result<weights::ModelConfig> model_config_of(const std::filesystem::path& path);

// A decoder of random weights, of the sizes in a config.json.
Result<Decoder> random_model(const std::filesystem::path& config_json, uint64_t seed, const Placement& placement);

// config.json and model.safetensors, or shards with their index, into `folder`, which is made; what adapts the base is
// not among them.
Result<void> write_model(const std::filesystem::path& folder, const Decoder& decoder);

// adapter_config.json and adapter_model.safetensors. `base` is where PEFT finds the base; may be empty.
Result<void> write_adapter(const std::filesystem::path& folder, const Decoder& decoder, const std::string& base);

// The adapter of `folder` onto the decoder, whose base stops taking part in training. kUnsupportedOperator for what
// PEFT can do and we cannot.
Result<void> read_adapter(const std::filesystem::path& folder, Decoder& decoder);

// What a step changes, in one folder: model/ or, with an adapter, adapter/ alone; and value_head.safetensors
// ("score.weight", "score.bias") where there is a value head. `base` as above.
Result<void> write_weights(const std::filesystem::path& folder, const Decoder& decoder, const std::string& base);
// Back into a decoder of the same kind: with an adapter, or all of it taking part in training.
Result<void> read_weights(const std::filesystem::path& folder, Decoder& decoder);

// Tensors alone, as one safetensors file.
Result<void> write_tensors(const std::filesystem::path& path, const NamedTensors& tensors);
Result<NamedTensors> read_tensors(const std::filesystem::path& path);

}  // namespace stitch::train
