// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/json/json.h"
#include "plan/boundaries/boundary.h"

namespace stitch::plan {
namespace {

constexpr const char* kFile = "plan.json";
constexpr const char* kAny = "any";
constexpr const char* kOwn = "own";
constexpr int64_t kMaxTermBytes = int64_t{1} << 40;

Json to_json(const WrittenCode& written) {
  Json scratch = Json::array();
  for (const ScratchTerm& term : written.scratch) {
    Json axes = Json::array();
    for (const Axis& axis : term.axes) {
      axes.push_back(Json::array({axis.value, axis.axis}));
    }
    scratch.push_back({{"bytes", term.bytes}, {"axes", axes}});
  }
  return {
      {"sizes", written.holds_for == HoldsFor::kAnySizes ? kAny : kOwn}, {"scratch", scratch}, {"code", written.code}};
}

Unexpected malformed(std::string message) { return failure(ErrorCode::kFileInvalid, std::move(message), kFile); }

Result<std::vector<std::string>> names_in(const Json& object, const char* key, bool is_needed) {
  std::vector<std::string> names;
  if (!is_needed && !object.contains(key)) {
    return names;
  }
  STITCH_ASSIGN(const Json* items, json_array(object, key));
  for (const Json& item : *items) {
    if (!item.is_string()) {
      return malformed(std::string(key) + " of a boundary holds no name: " + item.dump());
    }
    names.push_back(item.get<std::string>());
  }
  return names;
}

Result<ScratchTerm> term_from(const Json& json) {
  ScratchTerm term;
  STITCH_ASSIGN(term.bytes, json_int(json, "bytes"));
  if (term.bytes < 0 || term.bytes > kMaxTermBytes) {
    return malformed("the scratch memory of a written step takes 0 to 2^40 bytes, not " + std::to_string(term.bytes));
  }
  if (!json.contains("axes")) {
    return term;
  }
  STITCH_ASSIGN(const Json* axes, json_array(json, "axes"));
  for (const Json& axis : *axes) {
    const bool is_pair = axis.is_array() && axis.size() == 2 && axis[0].is_string() && axis[1].is_number_integer();
    if (!is_pair) {
      return malformed("an axis that scratch memory follows is a pair like [\"x\", 0], not " + axis.dump());
    }
    term.axes.push_back({axis[0].get<std::string>(), axis[1].get<int64_t>()});
  }
  return term;
}

Result<WrittenCode> written_from(const Json& json) {
  WrittenCode written;
  STITCH_ASSIGN(written.code, json_string(json, "code"));
  STITCH_TRY(renumbered_code(written.code, 0));
  if (json.contains("sizes")) {
    STITCH_ASSIGN(const std::string sizes, json_string(json, "sizes"));
    if (sizes != kAny && sizes != kOwn) {
      return malformed("a written step holds for \"any\" sizes or for its \"own\", not for \"" + sizes + "\"");
    }
    written.holds_for = sizes == kAny ? HoldsFor::kAnySizes : HoldsFor::kOwnSizes;
  }
  if (json.contains("scratch")) {
    STITCH_ASSIGN(const Json* terms, json_array(json, "scratch"));
    for (const Json& term : *terms) {
      STITCH_ASSIGN(ScratchTerm read, term_from(term));
      written.scratch.push_back(std::move(read));
    }
  }
  return written;
}

}  // namespace

Json to_json(const std::vector<Boundary>& boundaries) {
  Json json = Json::array();
  for (const Boundary& boundary : boundaries) {
    Json one = {{"nodes", boundary.nodes}};
    if (boundary.written.has_value()) {
      one["operands"] = boundary.operands;
      one["results"] = boundary.results;
      one["written"] = to_json(*boundary.written);
    }
    json.push_back(std::move(one));
  }
  return json;
}

Result<std::vector<Boundary>> boundaries_from_json(const Json& json) {
  std::vector<Boundary> boundaries;
  if (!json.is_array()) {
    return malformed("boundaries are a list");
  }
  for (const Json& one : json) {
    Boundary boundary;
    STITCH_ASSIGN(boundary.nodes, names_in(one, "nodes", true));
    STITCH_ASSIGN(boundary.operands, names_in(one, "operands", false));
    STITCH_ASSIGN(boundary.results, names_in(one, "results", false));
    if (one.contains("written") && !one["written"].is_null()) {
      STITCH_ASSIGN(const Json* written, json_object(one, "written"));
      STITCH_ASSIGN(boundary.written, written_from(*written));
    }
    boundaries.push_back(std::move(boundary));
  }
  return boundaries;
}

}  // namespace stitch::plan
