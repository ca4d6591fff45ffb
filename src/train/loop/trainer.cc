// SPDX-License-Identifier: Apache-2.0
#include "train/loop/trainer.h"

#include <cmath>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "train/checkpoint/ending.h"
#include "train/torch/runtime.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

// A run goes on with the settings that it was begun with: anything else would be neither run.
Result<void> check_settings(const fs::path& path, const Json& resolved) {
  std::error_code error;
  const std::string text = resolved.dump(2) + "\n";
  if (!fs::exists(path, error)) {
    return write_file(path, text);
  }
  STITCH_ASSIGN(const std::string before, read_file(path));
  if (before == text) {
    return {};
  }
  STITCH_ASSIGN(const Json old, parse_json(before, path.string()));
  std::string which = "a key";
  for (const auto& [key, value] : resolved.items()) {
    if (!old.is_object() || !old.contains(key) || old[key] != value) {
      which = "'" + key + "'";
      break;
    }
  }
  return failure(ErrorCode::kUsage, "the run was begun with other settings: " + which + " differs", path.string(),
                 "name another folder for 'run', or give it the settings that it had");
}

// Of the adapter that a run begins from, else of the model; none where there is none that can be read, since a run on
// records needs none.
TextFiles text_beside(const LoopSettings& settings) {
  for (const std::string& path : {settings.model.adapter, settings.model.path}) {
    const auto text = path.empty() ? Result<TextFiles>(TextFiles()) : read_text_files(settings.resolve(path));
    if (text.has_value() && !text->tokenizer.empty()) {
      return *text;
    }
  }
  return {};
}

// Of every parameter, zeros where there is none: all processes send as much.
std::vector<Tensor> gradients_of(const NamedTensors& parameters) {
  std::vector<Tensor> gradients;
  for (const auto& [name, parameter] : parameters) {
    if (!parameter.grad().defined()) {
      parameter.mutable_grad() = at::zeros_like(parameter);
    }
    gradients.push_back(parameter.grad());
  }
  return gradients;
}

}  // namespace

Trainer::Trainer(LoopSettings settings, Decoder model, Json inputs, CheckpointPart* part, TrainingGroup group)
    : settings_(std::move(settings)),
      model_(std::move(model)),
      optimizer_(settings_.optimizer.adamw),
      run_(settings_.resolve(settings_.run)),
      part_(part),
      inputs_(std::make_shared<const Json>(std::move(inputs))),
      group_(std::move(group)) {}

Result<Trainer> Trainer::open(const LoopSettings& settings, const Json& resolved, const Json& inputs,
                              const TrainingGroup& group) {
  STITCH_ASSIGN(Decoder model, starting_model(settings));
  return open(settings, resolved, inputs, std::move(model), nullptr, group);
}

Result<Trainer> Trainer::open(const LoopSettings& settings, const Json& resolved, const Json& inputs, Decoder model,
                              CheckpointPart* part, const TrainingGroup& group) {
  Trainer trainer(settings, std::move(model), inputs, part, group);
  trainer.text_ = text_beside(settings);
  if (!group.is_first()) {
    STITCH_TRY(group.wait_for_all());  // until the first one has checked the folder
  }
  STITCH_TRY(check_settings(trainer.run_.path() / "config.json", resolved));
  STITCH_ASSIGN(const auto latest, trainer.run_.latest());
  if (latest.has_value()) {
    STITCH_TRY(trainer.resume(*latest));
  }
  if (group.is_first()) {
    STITCH_TRY(cut_file(trainer.run_.path() / "metrics.jsonl", trainer.metrics_bytes_));
    STITCH_TRY(group.wait_for_all());
  }
  STITCH_TRY(group.wait_for_all());  // no step before all have read what the first may write over
  return trainer;
}

Result<void> Trainer::resume(const CheckpointPlace& place) {
  const fs::path path = place.folder / "cursor.json";
  STITCH_ASSIGN(const std::string text, read_file(path));
  STITCH_ASSIGN(const Json cursor, parse_json(text, path.string()));
  STITCH_ASSIGN(const Json* inputs, json_object(cursor, "inputs"));
  if (*inputs != *inputs_) {
    return failure(ErrorCode::kUsage, "the run was begun with other data", path.string(),
                   "name another folder for 'run', or give it the data that it had");
  }
  STITCH_ASSIGN(metrics_bytes_, json_int(cursor, "metrics_bytes"));
  STITCH_TRY(read_weights(place.folder, model_));
  STITCH_ASSIGN(const NamedTensors state, read_tensors(place.folder / "optim.safetensors"));
  STITCH_TRY(optimizer_.load_state(state, model_.trainable()));
  if (part_ != nullptr) {
    STITCH_TRY(part_->read(place.folder));
  }
  step_ = place.step;
  return {};
}

Result<void> Trainer::keep_text_of(const LessonSource& source) {
  STITCH_ASSIGN(TextFiles read, read_text_files(settings_.base / source.tokenizer));
  text_ = with_chat(std::move(read), source.chat);
  return {};
}

Result<void> Trainer::tell_begin(const Json& line) {
  if (metrics_bytes_ == 0 && group_.is_first()) {
    STITCH_ASSIGN(metrics_bytes_, append_line(run_.path() / "metrics.jsonl", line.dump()));
  }
  return {};
}

Result<double> Trainer::descend() {
  const NamedTensors parameters = model_.trainable();
  if (group_.size() > 1) {
    STITCH_TRY(group_.sum(gradients_of(parameters)));
  }
  const double norm = clip_gradients(parameters, settings_.optimizer.max_gradient_norm);
  if (!std::isfinite(norm)) {
    return failure(ErrorCode::kEnvironment, "the gradients of step " + std::to_string(step_) + " are not finite",
                   run_.path().string(), "go on from its latest checkpoint with a lower learning rate");
  }
  optimizer_.step(parameters, learning_rate());
  clear_gradients(parameters);
  return norm;
}

Result<void> Trainer::update(Json& metrics) {
  const double rate = learning_rate();
  STITCH_ASSIGN(const double norm, descend());
  metrics["learning_rate"] = rate;
  metrics["gradient_norm"] = norm;
  return end_step(metrics);
}

Result<void> Trainer::end_step(Json& metrics) {
  ++step_;
  Json line = {{"step", step_}};
  line.update(metrics);
  metrics = line;
  if (!group_.is_first()) {
    return {};
  }
  STITCH_ASSIGN(metrics_bytes_, append_line(run_.path() / "metrics.jsonl", metrics.dump()));
  return {};
}

Result<void> Trainer::leave_step(bool anyway) {
  // Of a group the first one has the say: the others cannot know at which step it hears the signal, and end when it
  // goes.
  const bool ends = !is_done() && group_.is_first() && is_asked_to_end();
  if (anyway || ends || is_done() || step_ % settings_.checkpoint_every == 0) {
    STITCH_TRY(write_checkpoint());
  }
  if (ends) {
    return failure(ErrorCode::kInterrupted, "the run was ended behind step " + std::to_string(step_) + " by a signal",
                   run_.path().string(), "the same command goes on from there");
  }
  return {};
}

Result<void> Trainer::write_checkpoint() {
  if (!group_.is_first()) {
    return {};
  }
  Json facts = {{"world_size", group_.size()}, {"torch", torch_facts()["torch"]}};
  if (group_.size() > 1) {
    facts["sums_over"] = group_.backend();
  }
  STITCH_TRY(run_.write_checkpoint(step_, settings_.checkpoints_kept, facts,
                                   [this](const fs::path& folder) { return fill_checkpoint(folder); }));
  report_.maybe_leave(run_.path());
  return {};
}

Result<void> Trainer::fill_checkpoint(const fs::path& folder) const {
  // Absolute, so that whoever has the checkpoint alone finds its base from anywhere.
  const std::string& base = settings_.model.path;
  STITCH_TRY(write_weights(folder, model_,
                           base.empty() ? "" : fs::absolute(settings_.resolve(base)).lexically_normal().string()));
  STITCH_TRY(write_text_files(folder / (model_.adapter() != nullptr ? "adapter" : "model"), text_));
  if (part_ != nullptr) {
    STITCH_TRY(part_->write(folder));
  }
  STITCH_TRY(write_tensors(folder / "optim.safetensors", optimizer_.state()));
  // Numbers that are drawn are hashes of the seed and the step, so the step is all that there is to be remembered.
  const Json cursor = {
      {"step", step_}, {"seed", settings_.seed}, {"metrics_bytes", metrics_bytes_}, {"inputs", *inputs_}};
  return write_file(folder / "cursor.json", cursor.dump(2) + "\n");
}

}  // namespace stitch::train
