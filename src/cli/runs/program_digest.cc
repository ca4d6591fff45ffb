// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/program_digest.h"

#include "artifact/source/source_bundle.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "plan/plan.h"

namespace stitch::cli {

Json program_digest(const plan::Plan& plan, const SourceBundle& bundle) {
  const Json whole = plan::to_json(plan);  // outlives the loop over a part of it
  Json steps = Json::array();
  for (const Json& step : whole.at("steps")) {
    Json kept = Json::object();
    for (const char* key : {"name", "skeleton", "setting", "nodes", "modelled_us", "measured_us"}) {
      const auto found = step.find(key);
      kept[key] = found == step.end() ? Json() : *found;
    }
    steps.push_back(std::move(kept));
  }
  Json sources = Json::object();
  for (const auto& [path, text] : bundle.files) {
    sources[path] = sha256_hex(text);
  }
  return {{"steps", steps}, {"sources", sources}};
}

}  // namespace stitch::cli
