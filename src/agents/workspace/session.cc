// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/session.h"

#include "agents/state/member_json.h"
#include "base/json/json.h"

namespace stitch::agents {

template <>
struct Members<SessionRecord> {
  static constexpr auto kList =
      std::make_tuple(member("why", &SessionRecord::why), member("turns", &SessionRecord::turns),
                      member("strays", &SessionRecord::strays), member("altered", &SessionRecord::altered),
                      member("number", &SessionRecord::number), member("spent", &SessionRecord::spent),
                      member("texts", &SessionRecord::texts), member("verified", &SessionRecord::verified),
                      member("groups", &SessionRecord::groups));
};

std::string to_text(const SessionRecord& record) {
  return member_json::written(record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<SessionRecord> session_record_from_text(const std::string& text) {
  STITCH_ASSIGN(Json json, parse_json(text, "a session in the journal"));
  if (json.is_object() && !json.contains("groups")) {
    json["groups"] = Json::object();
  }
  SessionRecord record;
  member_json::Reader reader;
  reader.read(json, "a session in the journal", record);
  return reader.problem().empty() ? Result<SessionRecord>(std::move(record))
                                  : failure(ErrorCode::kFileInvalid, reader.problem());
}

}  // namespace stitch::agents
