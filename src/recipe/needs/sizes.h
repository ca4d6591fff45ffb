// SPDX-License-Identifier: Apache-2.0
// The sizes of a dense decoder, of its config.json alone: no weights are looked at.
#pragma once

#include <string>

#include "base/json/json.h"

namespace stitch::recipe {

struct ModelSizes {
  double vocabulary = 0;
  double hidden = 0;
  double intermediate = 0;
  double layers = 0;
  double heads = 0;
  double kv_heads = 0;
  double head_dim = 0;
  double max_positions = 0;
  bool ties_embeddings = false;
};

// kFileInvalid where a size is missing or not positive.
Result<ModelSizes> sizes_from_json(const Json& config, const std::string& path);

// Parameters of the whole model, and of low-rank adapters of rank `rank` on the layers named (all seven where none is).
double parameters_of(const ModelSizes& sizes);
double adapter_parameters_of(const ModelSizes& sizes, double rank, const std::vector<std::string>& targets);

}  // namespace stitch::recipe
