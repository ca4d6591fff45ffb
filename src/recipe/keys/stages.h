// SPDX-License-Identifier: Apache-2.0
// A configuration of `stitchcuda train` as its stages: one, or those of a chain, each checked key by key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "base/json/json.h"

namespace stitch::recipe {

struct Stage {
  std::string name{};  // of a chain's stage; empty: the only one
  std::string
      verb{};   // sft, rft, value, grpo, ppo; of a file that does not say the plainest that reads all of its keys
  Json keys{};  // without "name", "verb" and "gate"
  Json gate{};  // of a chain's stage: {"key": "last.pass", "least": 0.2, "most": 1}, of its answer; null: none
};

// JSON in which // and /* */ begin comments. Either the keys of one verb, named by `verb` where that is not empty; or a
// chain: {"stages": [{"name": ..., "verb": ..., keys...}, ...]}, in the order in which they run;
// "{NAME}/..." there names what an earlier stage leaves (references.h). kUsage with the key
// and what was probably meant for a key that nobody reads there, another kind, a number out of bounds.
Result<std::vector<Stage>> read_stages(std::string_view text, const std::string& path, const std::string& verb);

// The value at "algo.group_size"; null where it is not there.
Json value_at(const Json& keys, std::string_view path);
double number_at(const Json& keys, std::string_view path, double otherwise);
std::string text_at(const Json& keys, std::string_view path);

}  // namespace stitch::recipe
