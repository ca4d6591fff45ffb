// SPDX-License-Identifier: Apache-2.0
#include "agents/routing/event_json.h"

#include "agents/state/member_json.h"

namespace stitch::agents {

#define STITCH_MEMBERS(Owner, ...)                              \
  template <>                                                   \
  struct Members<Owner> {                                       \
    using This = Owner;                                         \
    static constexpr auto kList = std::make_tuple(__VA_ARGS__); \
  }
#define STITCH_MEMBER(name) member(#name, &This::name)

STITCH_MEMBERS(Planned, STITCH_MEMBER(plan), STITCH_MEMBER(others));
STITCH_MEMBERS(PlanKept, STITCH_MEMBER(why));
STITCH_MEMBERS(Written, STITCH_MEMBER(digest), STITCH_MEMBER(changed), STITCH_MEMBER(replaced));
STITCH_MEMBERS(Declined, STITCH_MEMBER(why));
STITCH_MEMBERS(Unreadable, STITCH_MEMBER(why));
STITCH_MEMBERS(Tested, STITCH_MEMBER(outcome), STITCH_MEMBER(fingerprint), STITCH_MEMBER(incumbent_fails),
               STITCH_MEMBER(step), STITCH_MEMBER(program), STITCH_MEMBER(steps));
STITCH_MEMBERS(Profiled, STITCH_MEMBER(steps));
STITCH_MEMBERS(Retrieved, STITCH_MEMBER(note));
STITCH_MEMBERS(Advised, STITCH_MEMBER(feedback));
STITCH_MEMBERS(EnvironmentFailed, STITCH_MEMBER(why));
STITCH_MEMBERS(Resumed);
STITCH_MEMBERS(NoRoom, STITCH_MEMBER(why));
#undef STITCH_MEMBER
#undef STITCH_MEMBERS

namespace {

// The body of that kind, with nothing in it.
template <size_t kIndex = 0>
EventBody empty_body(size_t index) {
  if constexpr (kIndex < std::variant_size_v<EventBody>) {
    return index == kIndex ? EventBody(std::in_place_index<kIndex>) : empty_body<kIndex + 1>(index);
  } else {
    return Resumed{};
  }
}

Unexpected refused(const std::string& why) {
  return failure(ErrorCode::kFileInvalid, "an event of a run cannot be taken: " + why);
}

}  // namespace

Json to_json(const Event& event) {
  Json json = {{"event", to_string(kind_of(event.body))}};
  json["body"] = std::visit([](const auto& body) { return member_json::written(body); }, event.body);
  json["spent"] = member_json::written(event.spent);
  return json;
}

Result<Event> event_from_json(const Json& json) {
  STITCH_ASSIGN(const std::string name, json_string(json, "event"));
  const std::optional<EventKind> kind = from_string<EventKind>(name);
  if (!kind.has_value() || *kind == EventKind::kEntered) {
    return refused("there is no event \"" + name + "\"");
  }
  STITCH_ASSIGN(const Json* content, json_object(json, "body"));
  STITCH_ASSIGN(const Json* spent, json_array(json, "spent"));
  Event event{.body = empty_body(static_cast<size_t>(*kind) - 1)};
  member_json::Reader reader;
  std::visit([&](auto& body) { reader.read(*content, name, body); }, event.body);
  reader.read(*spent, "spent", event.spent);
  return reader.problem().empty() ? Result<Event>(std::move(event)) : refused(reader.problem());
}

}  // namespace stitch::agents
