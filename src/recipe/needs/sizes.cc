// SPDX-License-Identifier: Apache-2.0
#include "recipe/needs/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stitch::recipe {
namespace {

struct Linear {
  const char* name;
  double in;
  double out;
};

std::array<Linear, 7> linears_of(const ModelSizes& sizes) {
  const double query = sizes.heads * sizes.head_dim;
  const double key = sizes.kv_heads * sizes.head_dim;
  return {{{"q_proj", sizes.hidden, query},
           {"k_proj", sizes.hidden, key},
           {"v_proj", sizes.hidden, key},
           {"o_proj", query, sizes.hidden},
           {"gate_proj", sizes.hidden, sizes.intermediate},
           {"up_proj", sizes.hidden, sizes.intermediate},
           {"down_proj", sizes.intermediate, sizes.hidden}}};
}

}  // namespace

Result<ModelSizes> sizes_from_json(const Json& config, const std::string& path) {
  ModelSizes sizes;
  const auto size = [&](const char* key, double otherwise) {
    const Json value = config.is_object() ? config.value(key, Json()) : Json();
    return value.is_number() ? value.get<double>() : otherwise;
  };
  sizes.vocabulary = size("vocab_size", 0);
  sizes.hidden = size("hidden_size", 0);
  sizes.intermediate = size("intermediate_size", 0);
  sizes.layers = size("num_hidden_layers", 0);
  sizes.heads = size("num_attention_heads", 0);
  sizes.kv_heads = size("num_key_value_heads", sizes.heads);
  sizes.head_dim = size("head_dim", sizes.heads > 0 ? sizes.hidden / sizes.heads : 0);
  sizes.max_positions = size("max_position_embeddings", 0);
  const Json tied = config.is_object() ? config.value("tie_word_embeddings", Json()) : Json();
  sizes.ties_embeddings = tied.is_boolean() && tied.get<bool>();
  const double least = std::min({sizes.vocabulary, sizes.hidden, sizes.intermediate, sizes.layers, sizes.heads,
                                 sizes.kv_heads, sizes.head_dim, sizes.max_positions});
  if (!(least >= 1)) {
    return failure(ErrorCode::kFileInvalid, "it is no config.json of a dense decoder: a size is missing", path,
                   "name the config.json of the model, as transformers writes it");
  }
  return sizes;
}

double parameters_of(const ModelSizes& sizes) {
  double block = 2 * sizes.hidden;  // two norms
  for (const Linear& linear : linears_of(sizes)) {
    block += linear.in * linear.out;
  }
  const double embeddings = sizes.vocabulary * sizes.hidden * (sizes.ties_embeddings ? 1 : 2);
  return sizes.layers * block + embeddings + sizes.hidden;
}

double adapter_parameters_of(const ModelSizes& sizes, double rank, const std::vector<std::string>& targets) {
  double block = 0;
  for (const Linear& linear : linears_of(sizes)) {
    const bool is_meant = targets.empty() || std::find(targets.begin(), targets.end(), linear.name) != targets.end();
    block += is_meant ? rank * (linear.in + linear.out) : 0;
  }
  return sizes.layers * block;
}

}  // namespace stitch::recipe
