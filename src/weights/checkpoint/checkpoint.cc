// SPDX-License-Identifier: Apache-2.0
#include "weights/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include "base/error/located.h"
#include "base/text/printable.h"
#include "weights/checkpoint/sharded.h"
#include "weights/gguf/gguf_model.h"
#include "weights/quantised/to_float.h"

namespace stitch::weights {

Result<Checkpoint> Checkpoint::open(const std::filesystem::path& path) {
  return path.extension() == ".gguf" ? open_gguf(path) : open_folder(path);
}

Result<Checkpoint> Checkpoint::open_folder(const std::filesystem::path& folder) {
  Checkpoint checkpoint;
  STITCH_ASSIGN(checkpoint.config_, read_model_config(folder / "config.json"));
  STITCH_ASSIGN(checkpoint.files_, open_sharded(folder));
  for (const SafetensorsFile& file : checkpoint.files_) {
    for (const TensorView& view : file.tensors()) {
      checkpoint.add({view.name, view.dtype, view.shape}, {view.bytes, false});
    }
  }
  return checkpoint;
}

Result<Checkpoint> Checkpoint::open_gguf(const std::filesystem::path& path) {
  Checkpoint checkpoint;
  STITCH_ASSIGN(checkpoint.gguf_, GgufFile::open(path));
  Result<ModelConfig> config = gguf_model_config(*checkpoint.gguf_);
  if (!config.has_value()) {
    return located(Result<Checkpoint>(failure(with_context(config.error(), path.string()))), path.string(),
                   "choose another model, or convert it again");
  }
  checkpoint.config_ = std::move(config).value();
  STITCH_TRY(checkpoint.add_gguf_tensors(path));
  return checkpoint;
}

Result<void> Checkpoint::add_gguf_tensors(const std::filesystem::path& path) {
  for (const TensorView& view : gguf_->tensors()) {
    std::optional<std::string> name = checkpoint_name(view.name);
    if (!name.has_value()) {
      return failure(ErrorCode::kUnsupportedOperator,
                     fmt::format("{}: a {} has no tensor \"{}\"", path.string(), to_string(config_.architecture),
                                 printable_line(view.name, 64)),
                     path.string(), "choose a dense Llama or Qwen3 model");
    }
    const bool is_moved = has_moved_rows(config_.architecture, *name);
    if (is_moved && view.shape[0] % config_.head_dim != 0) {
      return failure(
          ErrorCode::kFileInvalid,
          fmt::format("{}: \"{}\" has {} rows, no whole number of heads", path.string(), view.name, view.shape[0]),
          path.string(), "convert the model again");
    }
    add({std::move(*name), view.dtype, view.shape}, {view.bytes, is_moved});
  }
  return {};
}

void Checkpoint::add(CheckpointTensor tensor, Stored stored) {
  positions_.emplace(tensor.name, tensors_.size());
  tensors_.push_back(std::move(tensor));
  stored_.push_back(stored);
}

const CheckpointTensor* Checkpoint::find(std::string_view name) const {
  const auto found = positions_.find(name);
  return found == positions_.end() ? nullptr : &tensors_[found->second];
}

Result<void> Checkpoint::read_rows(std::string_view name, int64_t first_row, int64_t rows, std::span<float> out) const {
  const auto found = positions_.find(name);
  if (found == positions_.end()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("the model has no tensor \"{}\"", name), std::string(name),
                   "check that its config.json belongs to its weights");
  }
  const CheckpointTensor& tensor = tensors_[found->second];
  const Stored& stored = stored_[found->second];
  if (!has_float_form(tensor.dtype)) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("tensor \"{}\" holds {}, no floating-point numbers", name, to_string(tensor.dtype)),
                   std::string(name), "choose weights of F32, BF16 or F16");
  }
  const int64_t all_rows = tensor.shape.empty() ? 1 : tensor.shape[0];
  STITCH_CHECK(first_row >= 0 && rows >= 0 && rows <= all_rows - first_row) << "rows of " << name;
  if (rows == 0) {
    STITCH_CHECK(out.empty()) << "no rows of " << name << " for " << out.size() << " elements";
    return {};
  }
  const size_t row_bytes = stored.bytes.size() / static_cast<size_t>(all_rows);
  const size_t row_size = out.size() / static_cast<size_t>(rows);
  const auto bytes_from = [&](int64_t row, int64_t count) {
    return stored.bytes.subspan(static_cast<size_t>(row) * row_bytes, static_cast<size_t>(count) * row_bytes);
  };
  if (!stored.has_moved_rows) {
    to_float(tensor.dtype, bytes_from(first_row, rows), out);
    forget_pages(bytes_from(first_row, rows));
    return {};
  }
  for (int64_t i = 0; i < rows; ++i) {
    to_float(tensor.dtype, bytes_from(moved_row(first_row + i, config_.head_dim), 1),
             out.subspan(static_cast<size_t>(i) * row_size, row_size));
  }
  return {};
}

Result<void> Checkpoint::read(std::string_view name, std::span<float> out) const {
  const CheckpointTensor* tensor = find(name);
  const int64_t rows = tensor == nullptr || tensor->shape.empty() ? 1 : tensor->shape[0];
  return read_rows(name, 0, rows, out);
}

}  // namespace stitch::weights
