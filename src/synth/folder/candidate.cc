// SPDX-License-Identifier: Apache-2.0
#include "synth/folder/candidate.h"

#include "base/json/json.h"

namespace stitch::synth {
namespace {

Json sizes_json(const std::vector<std::pair<std::string, int64_t>>& sizes) {
  Json json = Json::object();
  for (const auto& [name, value] : sizes) {
    json[name] = value;
  }
  return json;
}

Result<std::vector<std::pair<std::string, int64_t>>> named_sizes(const Json& json, const char* key) {
  STITCH_ASSIGN(const Json* object, json_object(json, key));
  std::vector<std::pair<std::string, int64_t>> sizes;
  for (const auto& [name, value] : object->items()) {
    sizes.emplace_back(name, value.is_number_integer() ? value.get<int64_t>() : 0);
  }
  return sizes;
}

Result<std::vector<std::string>> texts(const Json& json, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(json, key));
  std::vector<std::string> found;
  for (const Json& each : *list) {
    found.push_back(each.is_string() ? each.get<std::string>() : std::string());
  }
  return found;
}

}  // namespace

Json task_line(const Candidate& candidate) {
  return {{"schema", "stitchcuda.task/1"},
          {"id", candidate.name},
          {"file", candidate.file()},
          {"split", candidate.split},
          {"family", candidate.family},
          {"operators", candidate.operators},
          {"seeds", candidate.seeds},
          {"origin", candidate.origin},
          {"digest", candidate.digest},
          {"signature", candidate.signature},
          {"modelled_ms", candidate.modelled_ms},
          {"launches", candidate.launches},
          {"sizes", sizes_json(candidate.sizes)},
          {"reduced", sizes_json(candidate.reduced)}};
}

Json to_json(const Candidate& candidate) {
  Json json = candidate.is_kept() ? task_line(candidate) : Json::object();
  json["number"] = candidate.number;
  if (candidate.is_kept()) {
    json["subtrees"] = candidate.subtrees;
  } else {
    json["fallen"] = candidate.fallen;
    json["why"] = candidate.why;
    json["operators"] = candidate.operators;
  }
  return json;
}

Result<Candidate> candidate_from_json(const Json& json) {
  Candidate candidate;
  STITCH_ASSIGN(const int64_t number, json_int(json, "number"));
  candidate.number = static_cast<uint64_t>(number);
  STITCH_ASSIGN(candidate.operators, texts(json, "operators"));
  if (json.contains("fallen")) {
    STITCH_ASSIGN(candidate.fallen, json_string(json, "fallen"));
    STITCH_ASSIGN(candidate.why, json_string(json, "why"));
    return candidate;
  }
  STITCH_ASSIGN(candidate.name, json_string(json, "id"));
  STITCH_ASSIGN(candidate.split, json_string(json, "split"));
  STITCH_ASSIGN(candidate.family, json_string(json, "family"));
  STITCH_ASSIGN(candidate.seeds, texts(json, "seeds"));
  STITCH_ASSIGN(candidate.origin, json_string(json, "origin"));
  STITCH_ASSIGN(candidate.digest, json_string(json, "digest"));
  STITCH_ASSIGN(candidate.signature, json_string(json, "signature"));
  STITCH_ASSIGN(candidate.modelled_ms, json_double(json, "modelled_ms"));
  STITCH_ASSIGN(const int64_t launches, json_int(json, "launches"));
  candidate.launches = static_cast<size_t>(launches);
  STITCH_ASSIGN(candidate.sizes, named_sizes(json, "sizes"));
  STITCH_ASSIGN(candidate.reduced, named_sizes(json, "reduced"));
  STITCH_ASSIGN(const Json* trees, json_array(json, "subtrees"));
  for (const Json& each : *trees) {
    candidate.subtrees.push_back(each.is_number_integer() ? each.get<uint64_t>() : 0);
  }
  return candidate;
}

}  // namespace stitch::synth
