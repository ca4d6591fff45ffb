// SPDX-License-Identifier: Apache-2.0
#include "train/chain/chain.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "recipe/keys/references.h"
#include "recipe/keys/stages.h"
#include "train/chain/stage_mark.h"

namespace stitch::train {
namespace {

constexpr const char* kOpen = "is_open";

Json open_gate() { return {{kOpen, true}}; }

// What a stage's own gate says of its answer: {"key": "last.pass", "least": 0.2}.
Json gate_of(const recipe::Stage& stage, const Json& answer) {
  if (stage.gate.is_null()) {
    return open_gate();
  }
  const std::string key = recipe::text_at(stage.gate, "key");
  const Json found = recipe::value_at(answer, key);
  const double least = recipe::number_at(stage.gate, "least", -std::numeric_limits<double>::infinity());
  const double most = recipe::number_at(stage.gate, "most", std::numeric_limits<double>::infinity());
  const bool is_open = found.is_number() && found.get<double>() >= least && found.get<double>() <= most;
  Json gate = {{kOpen, is_open}, {"key", key}, {"value", found}};
  if (!is_open) {
    gate["sentence"] = fmt::format("'{}' of its answer is {}, and its gate wants {}", key,
                                   found.is_null() ? "no number" : found.dump(), stage.gate.dump());
  }
  return gate;
}

// The verb's own gate where it is shut, else the stage's.
Json gate_behind(const recipe::Stage& stage, const Json& answer) {
  const Json own = answer.value("gate", open_gate());
  return own.value(kOpen, true) ? gate_of(stage, answer) : own;
}

Json told(const recipe::Stage& stage, const Json& answer, bool was_done, const Json& gate) {
  return {{"name", stage.name}, {"verb", stage.verb}, {"was_done", was_done}, {"gate", gate}, {"answer", answer}};
}

class Chain {
 public:
  Chain(std::filesystem::path file, const RunStage& run) : file_(std::move(file)), run_(run) {}

  Result<Json> run(const std::vector<recipe::Stage>& stages) {
    Json answer = {{"stages", Json::array()}, {"gate", open_gate()}};
    for (const recipe::Stage& stage : stages) {
      STITCH_ASSIGN(const Json ended, run_one(stage));
      answer["stages"].push_back(ended);
      const Json& gate = ended["gate"];
      std::fprintf(stderr, "chain: stage %s %s\n", stage.name.c_str(),
                   ended["was_done"].get<bool>() ? "was done" : "is done");
      if (!gate[kOpen].get<bool>()) {
        answer["gate"] = gate;
        answer["gate"]["stage"] = stage.name;
        answer["gate"]["sentence"] =
            fmt::format("the chain stops behind stage {}: {}", stage.name, gate.value("sentence", ""));
        break;
      }
    }
    return answer;
  }

 private:
  Result<Json> run_one(const recipe::Stage& stage) {
    const std::string where = fmt::format("{}, stage {}", file_.string(), stage.name);
    STITCH_ASSIGN(Json keys, recipe::with_places(stage.keys, places_, where));
    // The stages before are a part of what this one is: their answers move where it begins.
    digest_ = sha256_hex(digest_ + stage.name + stage.verb + keys.dump(-1, ' ', false, Json::error_handler_t::replace));
    const std::string folder = recipe::text_at(stage.keys, "run");
    const auto base = file_.parent_path();
    const StageMark mark{stage.name, digest_, before_};
    STITCH_ASSIGN(const auto before, begin_stage(base / folder, mark));
    Json answer = before != nullptr ? *before : Json();
    if (before == nullptr) {
      std::fprintf(stderr, "chain: stage %s, %s\n", stage.name.c_str(), stage.verb.c_str());
      auto done = run_(stage.verb, {std::make_shared<const Json>(std::move(keys)), where, base});
      if (!done.has_value()) {
        return failure(done.error());
      }
      answer = std::move(done).value();
      STITCH_TRY(end_stage(base / folder, mark, answer));
    }
    before_.push_back({stage.name, base / folder});
    const std::filesystem::path checkpoint = answer.value("checkpoint", "");
    places_[stage.name] = {folder, folder + "/ckpt/" + checkpoint.filename().string()};
    return told(stage, answer, before != nullptr, gate_behind(stage, answer));
  }

  std::filesystem::path file_;
  const RunStage& run_;
  recipe::StagePlaces places_{};
  std::string digest_{};
  std::vector<StageMark::Before> before_{};
};

}  // namespace

Result<Json> run_chain(const std::filesystem::path& file, const RunStage& run) {
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(const std::vector<recipe::Stage> stages, recipe::read_stages(text, file.string(), ""));
  if (stages.size() == 1 && stages.front().name.empty()) {
    return failure(ErrorCode::kUsage, "the configuration is no chain: it has no 'stages'", file.string(),
                   "name its verb instead of 'chain', or write {\"stages\": [...]}");
  }
  return Chain(file, run).run(stages);
}

}  // namespace stitch::train
