// SPDX-License-Identifier: Apache-2.0
#include "recipe/keys/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "base/json/depth.h"
#include "base/text/edit_distance.h"
#include "recipe/keys/references.h"

namespace stitch::recipe {
namespace {

constexpr int kMaxDepth = 16;
constexpr size_t kMaxStages = 64;
constexpr size_t kMaxDistance = 4;

enum class Kind { kText, kTexts, kObjects, kWhole, kNumber, kFlag, kWord, kWords };

// Verbs as bits.
constexpr unsigned kSft = 1, kRft = 2, kValue = 4, kGrpo = 8, kPpo = 16;
constexpr unsigned kRecords = kSft | kRft | kValue;  // a step has a batch of records
constexpr unsigned kOffline = kRft | kValue;         // of answers that were drawn before the first step
constexpr unsigned kOnline = kGrpo | kPpo;           // each step draws answers
constexpr unsigned kRollouts = kOffline | kOnline;   // they draw answers
constexpr unsigned kCritic = kValue | kPpo;
constexpr unsigned kAll = kSft | kRft | kValue | kGrpo | kPpo;

struct Verb {
  std::string_view name;
  unsigned bit;
};
constexpr std::array kVerbs =
    std::to_array<Verb>({{"sft", kSft}, {"rft", kRft}, {"value", kValue}, {"grpo", kGrpo}, {"ppo", kPpo}});

struct Key {
  std::string_view path;
  Kind kind;
  unsigned verbs;
  double least;
  double most;
  std::string_view words;
};
constexpr std::array kKeys = std::to_array<Key>({
#define STITCH_KEY(path, kind, verbs, least, most, words) {path, Kind::kind, verbs, least, most, words},
#include "recipe/keys/keys.def"
#undef STITCH_KEY
});

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

bool is_one_of(const Json& value, const std::vector<std::string>& words) {
  return value.is_string() && std::find(words.begin(), words.end(), value.get<std::string>()) != words.end();
}

bool are_texts(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_string(); });
}

bool are_objects(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_object(); });
}

bool is_within(const Json& value, const Key& key) {
  return value.is_number() && value.get<double>() >= key.least && value.get<double>() <= key.most;
}

// What is wrong with the value; empty: nothing.
std::string fault_of(const Json& value, const Key& key) {
  const std::vector<std::string> words = words_of(key.words);
  switch (key.kind) {
    case Kind::kText:
      return value.is_string() ? "" : "is no text";
    case Kind::kTexts:
      return are_texts(value) ? "" : "is no list of texts";
    case Kind::kObjects:
      return are_objects(value) ? "" : "is no list of objects";
    case Kind::kFlag:
      return value.is_boolean() ? "" : "is neither true nor false";
    case Kind::kWhole:
      return value.is_number_integer() && is_within(value, key)
                 ? ""
                 : fmt::format("is no whole number from {:.0f} to {:.0f}", key.least, key.most);
    case Kind::kNumber:
      return is_within(value, key) ? "" : fmt::format("is no number from {:g} to {:g}", key.least, key.most);
    case Kind::kWord:
      return is_one_of(value, words) ? "" : fmt::format("is none of {}", key.words);
    case Kind::kWords:
      return value.is_array() && !value.empty() &&
                     std::all_of(value.begin(), value.end(), [&](const Json& each) { return is_one_of(each, words); })
                 ? ""
                 : fmt::format("is no list of {}", key.words);
  }
  return "";
}

const Key* key_of(const std::string& path) {
  const auto* found = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& each) { return each.path == path; });
  return found == kKeys.end() ? nullptr : found;
}

bool is_section(const std::string& path) {
  return std::any_of(kKeys.begin(), kKeys.end(), [&](const Key& each) { return each.path.starts_with(path + "."); });
}

std::string nearest(const std::string& path) {
  const auto* found = std::min_element(kKeys.begin(), kKeys.end(), [&](const Key& a, const Key& b) {
    return edit_distance(path, a.path) < edit_distance(path, b.path);
  });
  return edit_distance(path, found->path) <= kMaxDistance ? fmt::format("; '{}' was probably meant", found->path) : "";
}

// Checks one stage; keeps what was wrong first, and which verbs read all of its keys.
class Checker {
 public:
  explicit Checker(unsigned verbs) : verbs_(verbs) {}

  void check(const Json& object, const std::string& prefix) {
    for (const auto& [name, value] : object.items()) {
      const std::string path = prefix.empty() ? name : prefix + "." + name;
      if (is_section(path)) {
        check_section(value, path);
      } else {
        check_key(value, path);
      }
    }
  }

  unsigned verbs() const { return verbs_; }
  const std::string& fault() const { return fault_; }

 private:
  void refuse(const std::string& why) { fault_ = fault_.empty() ? why : fault_; }

  void check_section(const Json& value, const std::string& path) {
    if (value.is_object()) {
      check(value, path);
    } else {
      refuse(fmt::format("'{}' is no object", path));
    }
  }

  void check_key(const Json& value, const std::string& path) {
    const Key* key = key_of(path);
    if (key == nullptr) {
      return refuse(fmt::format("'{}' is a key that nobody reads{}", path, nearest(path)));
    }
    if (const std::string fault = fault_of(value, *key); !fault.empty()) {
      return refuse(fmt::format("'{}' {}", path, fault));
    }
    if ((verbs_ & key->verbs) == 0) {
      return refuse(fmt::format("'{}' is a key that this verb does not read", path));
    }
    verbs_ &= key->verbs;
  }

  unsigned verbs_;
  std::string fault_;
};

std::string name_of_verb(unsigned verbs) {
  const auto* found = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& each) { return each.bit == verbs; });
  return found == kVerbs.end() ? "" : std::string(found->name);
}

// The verb of a file that does not say: what reads all of its keys, of several the plainest that learns from what the
// file has. Neither prompts nor data: nothing.
std::string likely_verb(unsigned verbs, const Json& keys) {
  if (keys.contains("prompts")) {
    return name_of_verb((verbs & kGrpo) != 0 ? kGrpo : verbs);
  }
  return name_of_verb(keys.contains("data") && (verbs & kSft) != 0 ? kSft : verbs);
}

std::string missing_key(const Stage& stage) {
  for (const char* needed : {"run", "steps"}) {
    if (!stage.keys.contains(needed)) {
      return fmt::format("'{}' is missing", needed);
    }
  }
  const bool has_path = !text_at(stage.keys, "model.path").empty();
  const bool has_config = !text_at(stage.keys, "model.config").empty();
  if (has_path == has_config) {
    return "'model.path' or 'model.config' has to be given, and not both";
  }
  const bool is_offline = stage.verb == "rft" || stage.verb == "value";
  const bool asks = stage.verb == "grpo" || stage.verb == "ppo" || (is_offline && !stage.keys.contains("data"));
  for (const char* needed : {"prompts.train", "prompts.tokenizer", "evaluator.kind"}) {
    if (asks && text_at(stage.keys, needed).empty()) {
      return fmt::format("'{}' is missing", needed);
    }
  }
  if (stage.verb == "value" && value_at(stage.keys, "value.ev_gate").is_null()) {
    return "'value.ev_gate' is missing";
  }
  if (is_offline && !asks && value_at(stage.keys, "data.rollouts").is_null()) {
    return "'data.rollouts' is missing";
  }
  return stage.verb == "sft" && value_at(stage.keys, "data.train").is_null() ? "'data.train' is missing" : "";
}

// Combinations that no loop takes.
std::string contradiction(const Stage& stage) {
  const std::string advantage = text_at(stage.keys, "algo.advantage");
  if (stage.verb == "ppo" && !advantage.empty() && advantage != "gae") {
    return "'algo.advantage' of ppo is gae: it has a critic";
  }
  if (stage.verb == "grpo" && advantage == "gae") {
    return "'algo.advantage' gae needs a critic: train ppo";
  }
  const bool is_adapted = stage.keys.contains("lora") || !text_at(stage.keys, "model.adapter").empty();
  if (text_at(stage.keys, "model.dtype") == "bfloat16" && !is_adapted) {
    return "'model.dtype' bfloat16 loses small updates; add 'lora', or train in float32";
  }
  if (stage.keys.contains("lora") && !text_at(stage.keys, "model.adapter").empty()) {
    return "'lora' makes a new adapter, and 'model.adapter' is one; give one of the two";
  }
  if (stage.verb != "sft" && stage.keys.contains("data") && stage.keys.contains("prompts")) {
    return "'data' and 'prompts' are both there: learn from answers of an earlier run, or draw new ones";
  }
  if (text_at(stage.keys, "keep.rule") == "threshold" && value_at(stage.keys, "keep.threshold").is_null()) {
    return "'keep.threshold' is missing";
  }
  const double low = number_at(stage.keys, "algo.clip_low", 0.2);
  const double high = number_at(stage.keys, "algo.clip_high", low);
  return high < low ? "'algo.clip_high' is below 'algo.clip_low'" : "";
}

Unexpected refused(const std::string& why, const std::string& where) {
  return failure(ErrorCode::kUsage, why, where, "change it there");
}

Result<Stage> read_stage(const Json& object, Stage stage, const std::string& where) {
  unsigned verbs = kAll;
  if (!stage.verb.empty()) {
    const auto* found =
        std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& each) { return each.name == stage.verb; });
    if (found == kVerbs.end()) {
      return refused(fmt::format("'verb' is \"{}\", none of sft, rft, value, grpo, ppo", stage.verb), where);
    }
    verbs = found->bit;
  }
  Checker checker(verbs);
  checker.check(object, "");
  if (!checker.fault().empty()) {
    return refused(checker.fault(), where);
  }
  stage.verb = stage.verb.empty() ? likely_verb(checker.verbs(), object) : stage.verb;
  stage.keys = object;
  for (const std::string& why : {missing_key(stage), contradiction(stage)}) {
    if (!why.empty()) {
      return refused(why, where);
    }
  }
  return stage;
}

// "gate" of a stage; null where it has none.
Result<Json> read_gate(const Json& stage, const std::string& where) {
  const Json gate = stage.value("gate", Json());
  if (gate.is_null()) {
    return gate;
  }
  const bool is_object = gate.is_object() && !text_at(gate, "key").empty();
  int limits = 0;
  for (const auto& [name, value] : gate.items()) {
    if (name == "least" || name == "most") {
      limits += value.is_number() ? 1 : -2;
    } else if (name != "key") {
      limits = -2;
    }
  }
  return is_object && limits > 0
             ? Result<Json>(gate)
             : Result<Json>(refused("'gate' is not {\"key\": \"last.pass\", \"least\": 0.2} or with \"most\"", where));
}

Result<std::vector<Stage>> read_chain(const Json& list, const std::string& path) {
  if (!list.is_array() || list.empty() || list.size() > kMaxStages) {
    return refused(fmt::format("'stages' is no list of one to {} objects", kMaxStages), path);
  }
  std::vector<Stage> stages;
  std::set<std::string> names;
  std::set<std::string> runs;
  StagePlaces places;
  for (const Json& each : list) {
    const std::string where = fmt::format("{}, stage {}", path, stages.size() + 1);
    if (!each.is_object()) {
      return refused("it is no object", where);
    }
    Stage stage{.name = text_at(each, "name"), .verb = text_at(each, "verb")};
    if (stage.name.empty() || stage.verb.empty() || !names.insert(stage.name).second) {
      return refused("a stage needs a 'name' of its own and a 'verb'", where);
    }
    Json keys = each;
    keys.erase("name");
    keys.erase("verb");
    STITCH_ASSIGN(stage.gate, read_gate(keys, where));
    keys.erase("gate");
    STITCH_ASSIGN(stage, read_stage(keys, std::move(stage), where));
    const std::string run = text_at(stage.keys, "run");
    if (!runs.insert(run).second) {
      return refused(fmt::format("'run' is \"{}\", as that of an earlier stage", run), where);
    }
    const auto placed = with_places(stage.keys, places, where);
    if (!placed.has_value()) {
      return failure(placed.error());
    }
    places[stage.name] = {run, run + "/ckpt"};
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace

Json value_at(const Json& keys, std::string_view path) {
  const size_t dot = std::min(path.find('.'), path.size());
  const auto found = keys.is_object() ? keys.find(std::string(path.substr(0, dot))) : keys.end();
  if (!keys.is_object() || found == keys.end()) {
    return {};
  }
  return dot == path.size() ? *found : value_at(*found, path.substr(dot + 1));
}

double number_at(const Json& keys, std::string_view path, double otherwise) {
  const Json value = value_at(keys, path);
  return value.is_number() ? value.get<double>() : otherwise;
}

std::string text_at(const Json& keys, std::string_view path) {
  const Json value = value_at(keys, path);
  return value.is_string() ? value.get<std::string>() : "";
}

Result<std::vector<Stage>> read_stages(std::string_view text, const std::string& path, const std::string& verb) {
  if (is_nested_deeper(text, kMaxDepth)) {
    return refused("the configuration is nested too deeply", path);
  }
  constexpr bool kThrows = false;
  constexpr bool kHasComments = true;
  const Json json = Json::parse(text, nullptr, kThrows, kHasComments);
  if (!json.is_object()) {
    return refused("the configuration is no JSON object", path);
  }
  if (!json.contains("stages")) {
    STITCH_ASSIGN(Stage stage, read_stage(json, {.name = "", .verb = verb}, path));
    return std::vector<Stage>{std::move(stage)};
  }
  if (json.size() != 1 || !verb.empty()) {
    return refused("a chain has 'stages' alone, each with its 'verb'", path);
  }
  return read_chain(json.at("stages"), path);
}

}  // namespace stitch::recipe
