// SPDX-License-Identifier: Apache-2.0
#include "train/files/model_files.h"

#include <span>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "weights/adapter/adapter_config.h"
#include "weights/checkpoint/checkpoint.h"
#include "weights/checkpoint/sharded.h"
#include "weights/safetensors/safetensors_file.h"
#include "weights/safetensors/write_safetensors.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kValueHead = "value_head.safetensors";
constexpr double kDeviation = 0.02;  // of weights that are drawn
constexpr int64_t kMaxShardBytes = int64_t{4} << 30U;

}  // namespace

Result<void> write_tensors(const fs::path& path, const NamedTensors& tensors) {
  const NamedTensors stored = stored_form(tensors);
  return weights::write_safetensors(path, views_of(stored));
}

Result<NamedTensors> read_tensors(const fs::path& path) {
  STITCH_ASSIGN(const auto file, weights::SafetensorsFile::open(path));
  return tensors_of(file.tensors());
}

Result<weights::ModelConfig> model_config_of(const fs::path& path) {
  STITCH_ASSIGN(const auto checkpoint, weights::Checkpoint::open(path));
  return checkpoint.config();
}

Result<Decoder> read_model(const fs::path& path, const Placement& placement) {
  STITCH_ASSIGN(const auto checkpoint, weights::Checkpoint::open(path));
  NamedTensors parameters;
  for (const weights::CheckpointTensor& stored : checkpoint.tensors()) {
    const Tensor tensor = at::empty(stored.shape, at::kFloat);
    const std::span<float> elements(tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel()));
    STITCH_TRY(checkpoint.read(stored.name, elements));
    parameters[stored.name] = tensor.to(placement.device, placement.type);
  }
  return Decoder::from_parameters(checkpoint.config(), parameters);
}

Result<Decoder> random_model(const fs::path& config_json, uint64_t seed, const Placement& placement) {
  STITCH_ASSIGN(const auto config, weights::read_model_config(config_json));
  return Decoder::random_placed(config, seed, kDeviation, [&](const Tensor& drawn) {
    return drawn.to(placement.type).to(placement.device);  // the narrower type goes over to a GPU
  });
}

Result<void> write_model(const fs::path& folder, const Decoder& decoder) {
  STITCH_TRY(make_directories(folder));
  STITCH_TRY(write_file(folder / "config.json", weights::to_json(decoder.config()).dump(2) + "\n"));
  const NamedTensors stored = stored_form(decoder.base_parameters());
  return weights::write_sharded(folder, views_of(stored), kMaxShardBytes, {{"format", "pt"}});
}

Result<void> write_adapter(const fs::path& folder, const Decoder& decoder, const std::string& base) {
  STITCH_CHECK(decoder.adapter() != nullptr) << "there is no adapter to be written";
  weights::AdapterConfig config = *decoder.adapter();
  config.base_model = base;
  STITCH_TRY(make_directories(folder));
  STITCH_TRY(write_file(folder / "adapter_config.json", weights::to_json(config).dump(2) + "\n"));
  return write_tensors(folder / "adapter_model.safetensors", decoder.adapter_parameters());
}

Result<void> read_adapter(const fs::path& folder, Decoder& decoder) {
  STITCH_ASSIGN(const auto config, weights::read_adapter_config(folder / "adapter_config.json"));
  STITCH_ASSIGN(const NamedTensors parameters, read_tensors(folder / "adapter_model.safetensors"));
  return decoder.load_adapter(config, parameters);
}

Result<void> write_weights(const fs::path& folder, const Decoder& decoder, const std::string& base) {
  if (decoder.adapter() != nullptr) {
    STITCH_TRY(write_adapter(folder / "adapter", decoder, base));
  } else {
    STITCH_TRY(write_model(folder / "model", decoder));
  }
  return decoder.has_value_head() ? write_tensors(folder / kValueHead, decoder.value_parameters()) : Result<void>();
}

Result<void> read_weights(const fs::path& folder, Decoder& decoder) {
  const bool has_value_head = decoder.has_value_head();
  if (decoder.adapter() != nullptr) {
    STITCH_TRY(read_adapter(folder / "adapter", decoder));
  } else {
    const Tensor& head = decoder.head();
    const auto compute_type = decoder.compute_type();
    STITCH_ASSIGN(decoder, read_model(folder / "model", {head.device(), head.scalar_type()}));
    decoder.compute_in(compute_type);
    decoder.train_base(true);
  }
  if (has_value_head) {
    STITCH_ASSIGN(const NamedTensors value, read_tensors(folder / kValueHead));
    STITCH_TRY(decoder.load_value_head(value));
  }
  return {};
}

}  // namespace stitch::train
