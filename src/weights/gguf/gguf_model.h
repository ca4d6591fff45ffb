// SPDX-License-Identifier: Apache-2.0
// What a GGUF file of a dense decoder holds, in the words of config.json and of Hugging Face's checkpoints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.h"
#include "weights/config/model_config.h"
#include "weights/gguf/gguf_file.h"

namespace stitch::weights {

// From "general.architecture" llama or qwen3 and its keys. `dtype` is F32: the file's own are to be dequantised.
Result<ModelConfig> gguf_model_config(const GgufFile& file);

// "blk.3.attn_q.weight" -> "model.layers.3.self_attn.q_proj.weight"; empty: a tensor that such a model does not have.
std::optional<std::string> checkpoint_name(std::string_view gguf_name);

// llama.cpp rotates neighbours (0,1), (2,3), ... where Hugging Face's Llama rotates halves (0, d/2), (1, d/2 + 1), ...:
// its converter moves the rows of q and k accordingly, of architecture llama alone.
bool has_moved_rows(Architecture architecture, std::string_view checkpoint_name);
// Where in the file row `row` of such a weight or bias, in Hugging Face's order, lies.
int64_t moved_row(int64_t row, int64_t head_dim);

}  // namespace stitch::weights
