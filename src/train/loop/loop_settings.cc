// SPDX-License-Identifier: Apache-2.0
#include "train/loop/loop_settings.h"

#include <algorithm>

#include "base/seed/seed.h"
#include "train/torch/runtime.h"

namespace stitch::train {
namespace {

constexpr int64_t kMaxSteps = int64_t{1} << 40;
constexpr int64_t kMaxBatch = int64_t{1} << 20;
constexpr int64_t kMaxThreads = 1024;
constexpr auto kMaxSeed = static_cast<int64_t>(kLargestSeed);

void read_optimizer(Section& section, OptimizerSettings& optimizer, int64_t steps) {
  optimizer.schedule.peak = 1e-4;
  section.read("learning_rate", optimizer.schedule.peak, 0, 10);
  section.read("warmup_steps", optimizer.schedule.warmup_steps, 0, kMaxSteps);
  auto decay = static_cast<size_t>(optimizer.schedule.decay);
  section.read("decay", decay, {"constant", "linear", "cosine"});
  optimizer.schedule.decay = static_cast<rl::Decay>(decay);
  section.read("final_share", optimizer.schedule.final_share, 0, 1);
  optimizer.schedule.total_steps = steps;
  section.read("beta1", optimizer.adamw.beta1, 0, 0.999999);
  section.read("beta2", optimizer.adamw.beta2, 0, 0.999999);
  section.read("eps", optimizer.adamw.eps, 0, 1);
  section.read("weight_decay", optimizer.adamw.weight_decay, 0, 10);
  section.read("max_gradient_norm", optimizer.max_gradient_norm, 0, 1e9);
}

void read_lora(Section& section, weights::AdapterConfig& lora) {
  constexpr int64_t kMaxRank = 4096;
  section.read("r", lora.rank, 1, kMaxRank);
  lora.alpha = static_cast<double>(lora.rank) * 2;
  section.read("alpha", lora.alpha, 0, 1e6);
  section.read("rslora", lora.is_rank_stabilised);
  const std::vector<std::string> known = all_linears();
  lora.targets = known;
  section.read("targets", lora.targets);
  for (const std::string& target : lora.targets) {
    if (std::find(known.begin(), known.end(), target) == known.end()) {
      section.refuse("targets", "has '" + target + "', which is no linear layer of a decoder");
    }
  }
  if (lora.targets.empty()) {
    section.refuse("targets", "names no layer");
  }
}

}  // namespace

void read_model_source(Section& section, ModelSource& model) {
  section.read("path", model.path);
  section.read("config", model.config);
  section.read("seed", model.seed, 0, kMaxSeed);
  section.read("adapter", model.adapter);
  size_t type = 0;
  section.read("dtype", type, {"float32", "bfloat16"});
  model.is_bf16 = type == 1;
  size_t compute = type;
  section.read("compute", compute, {"float32", "bfloat16"});
  model.computes_in_bf16 = compute == 1;
  if (model.path.empty() == model.config.empty()) {
    section.refuse("path", "or 'model.config' has to be given, and not both");
  }
}

void read_loop_settings(Section& section, LoopSettings& settings, BatchKind kind) {
  section.require("run");
  section.read("run", settings.run);
  section.read("device", settings.device);
  section.read("threads", settings.threads, 1, kMaxThreads);
  section.read("seed", settings.seed, 0, kMaxSeed);
  section.require("steps");
  section.read("steps", settings.steps, 1, kMaxSteps);
  if (kind == BatchKind::kOfRecords) {
    section.read("batch", settings.batch, 1, kMaxBatch);
  } else {
    settings.checkpoint_every = 1;
  }
  settings.micro_batch = settings.batch;
  section.read("micro_batch", settings.micro_batch, 1, kMaxBatch);
  section.read("recompute_blocks", settings.recompute_blocks);
  section.read("head_chunk", settings.head_chunk, 1, kMaxBatch);
  Section model = section.child("model");
  read_model_source(model, settings.model);
  section.add(std::move(model));
  if (section.has("lora")) {
    Section lora = section.child("lora");
    read_lora(lora, settings.lora.emplace());
    section.add(std::move(lora));
  }
  Section optimizer = section.child("optimizer");
  read_optimizer(optimizer, settings.optimizer, settings.steps);
  section.add(std::move(optimizer));
  Section checkpoint = section.child("checkpoint");
  checkpoint.read("every", settings.checkpoint_every, 1, kMaxSteps);
  checkpoint.read("keep", settings.checkpoints_kept, 1, kMaxBatch);
  section.add(std::move(checkpoint));
  const bool is_adapted = settings.lora.has_value() || !settings.model.adapter.empty();
  if (settings.model.is_bf16 && !is_adapted) {
    section.refuse("model", "asks for bfloat16, in which small updates are lost; add 'lora', or train in float32");
  }
  if (settings.lora.has_value() && !settings.model.adapter.empty()) {
    section.refuse("lora", "makes a new adapter, and 'model.adapter' is one; give one of the two");
  }
}

Result<weights::ModelConfig> model_config_of(const ModelSource& source, const std::filesystem::path& base) {
  return source.path.empty() ? weights::read_model_config(base / source.config) : model_config_of(base / source.path);
}

Result<Decoder> load_model(const ModelSource& source, const std::filesystem::path& base, const std::string& device) {
  Placement placement;
  STITCH_ASSIGN(placement.device, device_named(device));
  placement.type = source.is_bf16 ? at::kBFloat16 : at::kFloat;
  const auto seed = static_cast<uint64_t>(source.seed);
  STITCH_ASSIGN(Decoder decoder, source.path.empty() ? random_model(base / source.config, seed, placement)
                                                     : read_model(base / source.path, placement));
  decoder.compute_in(source.computes_in_bf16 ? at::kBFloat16 : at::kFloat);
  if (!source.adapter.empty()) {
    STITCH_TRY(read_adapter(base / source.adapter, decoder));
  }
  return decoder;
}

Result<Decoder> starting_model(const LoopSettings& settings) {
  compute_with(settings.threads);
  STITCH_ASSIGN(Decoder decoder, load_model(settings.model, settings.base, settings.device));
  if (settings.lora.has_value()) {
    decoder.add_adapter(*settings.lora, derived_seed(static_cast<uint64_t>(settings.seed), "adapter", 0));
  } else if (decoder.adapter() == nullptr) {
    decoder.train_base(true);
  }
  return decoder;
}

}  // namespace stitch::train
