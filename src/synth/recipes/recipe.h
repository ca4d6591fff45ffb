// SPDX-License-Identifier: Apache-2.0
// What a task is made of, drawn by rule: chains of one to five operators and blocks, expressions over our IR's
// operators, layers of named models. The same seed and number give the same draft on every machine.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "synth/draft/writer.h"

namespace stitch::synth {

// A layer of a model in `transformers` that takes and gives [batch, rows, width].
struct MinedModule {
  std::string model{};   // "llama"
  std::string module{};  // where it is imported from
  std::string kind{};    // the class
  std::string config{};  // the configuration's class; empty: it takes its width, or nothing
  std::string config_module{};
  bool takes_width = false;
  bool takes_layer_index = false;
  std::vector<std::pair<std::string, int64_t>> widths{};        // settings that are multiples of the width
  std::vector<std::pair<std::string, std::string>> settings{};  // others, as Python writes them
};
Result<std::vector<MinedModule>> mined_modules_from_json(const Json& json);

// Every kind that a step can be of, as families name them.
std::set<std::string> step_kinds();

// Nothing where what was drawn fits no value: the number gives no task.
std::optional<Draft> make_draft(uint64_t seed, uint64_t number, const std::vector<MinedModule>& mined);

// A value to begin with: an input of one of the layouts. `layout` empty: any.
Tensor first_value(Writer& writer, std::optional<Layout> layout);
// An expression over two or three inputs, each node an operator of our IR.
Tensor write_expression(Writer& writer);
// The layer, for tokens; the value that it leaves.
Tensor write_mined(Writer& writer, const MinedModule& module);

}  // namespace stitch::synth
