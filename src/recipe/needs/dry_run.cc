// SPDX-License-Identifier: Apache-2.0
#include "recipe/needs/dry_run.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "recipe/keys/references.h"

namespace stitch::recipe {
namespace {

namespace fs = std::filesystem;

constexpr double kGiga = 1e9;
constexpr double kUsualRank = 8;

// "Qwen3-32B" and "models/Qwen3-32B/" are both of models/Qwen3-32B.json.
fs::path known_sizes(const fs::path& base, const std::string& model) {
  fs::path name = fs::path(model).filename();
  name = name.empty() ? fs::path(model).parent_path().filename() : name;
  return base / "models" / (name.string() + ".json");
}

// Of weights that an earlier stage trains: those of its own model.
Result<fs::path> place_of_sizes(const Stage& stage, const std::vector<PlannedStage>& before, const fs::path& base) {
  for (const PlannedStage& each : before) {
    if (!each.stage.name.empty() && stage_named_in(text_at(stage.keys, "model.path")) == each.stage.name) {
      return each.sizes_from;
    }
  }
  if (const std::string config = text_at(stage.keys, "model.config"); !config.empty()) {
    return base / config;
  }
  const std::string model = text_at(stage.keys, "model.path");
  for (const fs::path& place : {base / model / "config.json", known_sizes(base, model)}) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored)) {
      return place;
    }
  }
  return failure(
      ErrorCode::kFileInvalid, fmt::format("nothing says how large the model {} is", model),
      known_sizes(base, model).string(),
      "put its config.json there, or name one with 'model.config'; of a GGUF file its sizes are not read here");
}

Result<ModelSizes> read_sizes(const fs::path& place) {
  STITCH_ASSIGN(const std::string text, read_file(place));
  STITCH_ASSIGN(const Json json, parse_json(text, place.string()));
  return sizes_from_json(json, place.string());
}

Result<void> check_length(const Stage& stage, const Needs& needs, const ModelSizes& sizes, const std::string& where) {
  const double length = needs.prompt_tokens + needs.answer_tokens;
  if (length <= sizes.max_positions) {
    return {};
  }
  return failure(
      ErrorCode::kUsage,
      fmt::format("{} tokens of a sample are more than the {} positions of the model", length, sizes.max_positions),
      where + (stage.name.empty() ? "" : ", stage " + stage.name), "shorten prompts or answers");
}

// Of the adapter that a stage begins from: that of the stage before whose run it lies in.
double adapter_rank(const Stage& stage, const std::vector<PlannedStage>& before, double otherwise) {
  const std::string adapter = text_at(stage.keys, "model.adapter");
  for (const PlannedStage& each : before) {
    const bool is_below = adapter.starts_with(text_at(each.stage.keys, "run") + "/");
    if (!adapter.empty() && (is_below || stage_named_in(adapter) == each.stage.name)) {
      return each.adapter_rank;
    }
  }
  return otherwise;
}

std::string shown(const PlannedStage& planned, double device_bytes) {
  const Needs& needs = planned.needs;
  const Stage& stage = planned.stage;
  std::string text = fmt::format(
      "{}{}: {:.3g} M parameters, {:.3g} M trained, sizes of {}\n"
      "  steps {:.0f}, {:.0f} samples a step, at most {:.0f} + {:.0f} tokens each, {:.4g} k tokens a step, {:.4g} M in "
      "all\n"
      "  a rank: weights {:.1f} + optimizer {:.1f} + the larger of activations {:.1f} + logits {:.1f} and cache {:.1f} "
      "= {:.1f} GB\n"
      "  at most {:.3g} PFLOP a step\n",
      stage.name.empty() ? "" : stage.name + ", ", stage.verb.empty() ? "any verb" : stage.verb, needs.parameters / 1e6,
      needs.trained_parameters / 1e6, planned.sizes_from.string(), needs.steps, needs.samples, needs.prompt_tokens,
      needs.answer_tokens, needs.tokens / 1e3, needs.tokens * needs.steps / 1e6, needs.weight_bytes / kGiga,
      needs.optimizer_bytes / kGiga, needs.activation_bytes / kGiga, needs.head_bytes / kGiga,
      needs.cache_bytes / kGiga, needs.bytes() / kGiga, needs.flops / 1e15);
  const bool fits = needs.bytes() <= device_bytes;
  return text +
         (fits ? fmt::format("  fits a device of {:.0f} GB; more devices share the samples\n", device_bytes / kGiga)
               : fmt::format("  does not fit a device of {:.0f} GB, and ranks are whole copies: shorten samples, "
                             "set micro_batch, recompute_blocks or lora, or hand over to verl\n",
                             device_bytes / kGiga));
}

}  // namespace

Result<DryRunReport> dry_run(const DryRunRequest& request) {
  STITCH_ASSIGN(const std::string text, read_file(request.config));
  STITCH_ASSIGN(std::vector<Stage> stages, read_stages(text, request.config.string(), request.verb));
  DryRunReport report{.stages = {}, .device_bytes = request.device_bytes};
  for (Stage& stage : stages) {
    STITCH_ASSIGN(const fs::path place, place_of_sizes(stage, report.stages, request.config.parent_path()));
    STITCH_ASSIGN(const ModelSizes sizes, read_sizes(place));
    const double rank = number_at(stage.keys, "lora.r", adapter_rank(stage, report.stages, kUsualRank));
    const Needs needs = needs_of(stage, sizes, rank);
    STITCH_TRY(check_length(stage, needs, sizes, request.config.string()));
    report.stages.push_back({std::move(stage), place, rank, needs});
  }
  return report;
}

Json to_json(const DryRunReport& report) {
  Json stages = Json::array();
  for (const PlannedStage& each : report.stages) {
    const Needs& needs = each.needs;
    stages.push_back({{"name", each.stage.name},
                      {"verb", each.stage.verb},
                      {"sizes_from", each.sizes_from.string()},
                      {"parameters", needs.parameters},
                      {"trained_parameters", needs.trained_parameters},
                      {"steps", needs.steps},
                      {"samples", needs.samples},
                      {"tokens", needs.tokens},
                      {"drawn_tokens", needs.drawn_tokens},
                      {"flops", needs.flops},
                      {"bytes",
                       {{"weights", needs.weight_bytes},
                        {"optimizer", needs.optimizer_bytes},
                        {"activations", needs.activation_bytes},
                        {"logits", needs.head_bytes},
                        {"cache", needs.cache_bytes},
                        {"all", needs.bytes()}}},
                      {"fits", needs.bytes() <= report.device_bytes}});
  }
  return {{"schema", "stitchcuda.dry_run/1"}, {"device_bytes", report.device_bytes}, {"stages", stages}};
}

std::string describe(const DryRunReport& report) {
  std::string text;
  for (const PlannedStage& each : report.stages) {
    text += shown(each, report.device_bytes);
  }
  return text;
}

}  // namespace stitch::recipe
