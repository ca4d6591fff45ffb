// SPDX-License-Identifier: Apache-2.0
// A pretrained model, whichever way it is stored: a folder of Hugging Face's, or one GGUF file. Names, shapes and the
// order of rows are Hugging Face's in both; nothing is read before it is asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "weights/config/model_config.h"
#include "weights/gguf/gguf_file.h"
#include "weights/safetensors/safetensors_file.h"

namespace stitch::weights {

struct CheckpointTensor {
  std::string name;  // "model.layers.0.self_attn.q_proj.weight"
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;  // of a linear layer's weight: out, in
};

class Checkpoint {
 public:
  // `path`: a folder with config.json and model.safetensors (or shards and their index), or a file that ends in .gguf.
  static Result<Checkpoint> open(const std::filesystem::path& path);

  const ModelConfig& config() const { return config_; }
  const std::vector<CheckpointTensor>& tensors() const { return tensors_; }
  const CheckpointTensor* find(std::string_view name) const;

  // Rows [first_row, first_row + rows) as fp32; of a tensor with one axis each element is a row. `out` has just as many
  // elements. kFileInvalid where there is no such tensor, kUnsupportedOperator where its type is no floating-point one.
  // The pages that were read are given back, so that a model of any size passes through little memory.
  Result<void> read_rows(std::string_view name, int64_t first_row, int64_t rows, std::span<float> out) const;
  Result<void> read(std::string_view name, std::span<float> out) const;

  // The file that this model came from, where it is a GGUF, whose metadata hold the tokenizer; null otherwise.
  const GgufFile* gguf() const { return gguf_.has_value() ? &*gguf_ : nullptr; }

 private:
  struct Stored {
    std::span<const std::byte> bytes;
    bool has_moved_rows = false;
  };
  Checkpoint() = default;
  static Result<Checkpoint> open_folder(const std::filesystem::path& folder);
  static Result<Checkpoint> open_gguf(const std::filesystem::path& path);
  Result<void> add_gguf_tensors(const std::filesystem::path& path);
  void add(CheckpointTensor tensor, Stored stored);

  ModelConfig config_;
  std::vector<SafetensorsFile> files_;
  std::optional<GgufFile> gguf_;
  std::vector<CheckpointTensor> tensors_;
  std::vector<Stored> stored_;  // of the same position
  std::map<std::string, size_t, std::less<>> positions_;
};

}  // namespace stitch::weights
