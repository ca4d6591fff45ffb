// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/source_fact.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace stitch {
namespace {

constexpr size_t kMaxFacts = 1000;
constexpr size_t kMaxTextLength = 400;

}  // namespace

std::string SourceFact::message() const {
  if (file.empty()) {
    return what;
  }
  return line > 0 ? fmt::format("{}:{}: {}", file, line, what) : fmt::format("{}: {}", file, what);
}

Result<std::vector<SourceFact>> source_facts_from_json(const Json& json, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(json, key));
  std::vector<SourceFact> facts;
  for (const Json& each : *list) {
    if (facts.size() == kMaxFacts) {
      break;
    }
    SourceFact fact;
    STITCH_ASSIGN(fact.file, json_string(each, "file"));
    STITCH_ASSIGN(fact.line, json_int(each, "line"));
    STITCH_ASSIGN(fact.what, json_string(each, "what"));
    STITCH_ASSIGN(fact.audit, json_bool(each, "audit"));
    STITCH_ASSIGN(fact.refused, json_bool(each, "refused"));
    STITCH_ASSIGN(fact.uncompilable, json_bool(each, "uncompilable"));
    fact.file = fact.file.substr(0, kMaxTextLength);
    fact.what = fact.what.substr(0, kMaxTextLength);
    facts.push_back(std::move(fact));
  }
  return facts;
}

}  // namespace stitch
