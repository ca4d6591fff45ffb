// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/session.h"

#include "agents/state/member_json.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

Json map_json(const std::map<std::string, std::string>& map) {
  Json json = Json::object();
  for (const auto& [key, value] : map) {
    json[key] = value;
  }
  return json;
}

Result<std::map<std::string, std::string>> map_in(const Json& json, const char* name) {
  STITCH_ASSIGN(const Json* object, json_object(json, name));
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : object->items()) {
    STITCH_ASSIGN(map[key], json_string(*object, key.c_str()));
  }
  return map;
}

}  // namespace

std::string to_text(const SessionRecord& record) {
  return Json{{"why", record.why},
              {"turns", record.turns},
              {"strays", record.strays},
              {"altered", record.altered},
              {"number", record.number},
              {"spent", member_json::written(record.spent)},
              {"texts", map_json(record.texts)},
              {"verified", map_json(record.verified)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<SessionRecord> session_record_from_text(const std::string& text) {
  STITCH_ASSIGN(const Json json, parse_json(text, "a session in the journal"));
  SessionRecord record;
  STITCH_ASSIGN(record.why, json_string(json, "why"));
  STITCH_ASSIGN(record.turns, json_int(json, "turns"));
  STITCH_ASSIGN(record.strays, json_int(json, "strays"));
  STITCH_ASSIGN(record.altered, json_int(json, "altered"));
  STITCH_ASSIGN(record.number, json_int(json, "number"));
  STITCH_ASSIGN(record.texts, map_in(json, "texts"));
  STITCH_ASSIGN(record.verified, map_in(json, "verified"));
  STITCH_ASSIGN(const Json* spent, json_array(json, "spent"));
  member_json::Reader reader;
  reader.read(*spent, "spent", record.spent);
  return reader.problem().empty() ? Result<SessionRecord>(std::move(record))
                                  : failure(ErrorCode::kFileInvalid, "a session in the journal: " + reader.problem());
}

}  // namespace stitch::agents
