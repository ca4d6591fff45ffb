// SPDX-License-Identifier: Apache-2.0
#include "wire/messages/rpc.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace stitch::wire {
namespace {

// The other end of serve() is the supervisor: it may take its time.
constexpr std::chrono::hours kPatience{24 * 365};

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string text_or_empty(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json error_json(const Error& error) {
  return {{"code", to_string(error.code)},
          {"sentence", error.message},
          {"place", error.location},
          {"remedy", error.remedy}};
}

Frame answer_frame(uint64_t id, Result<Answer> answered) {
  if (!answered.has_value()) {
    return {.kind = FrameKind::kError, .id = id, .payload = dump(error_json(answered.error()))};
  }
  std::string text = dump(answered->json());
  if (text.size() > kMaxPayloadBytes) {
    const Error error{ErrorCode::kInternal, fmt::format("an answer of {} bytes is too long", text.size()), "", ""};
    return {.kind = FrameKind::kError, .id = id, .payload = dump(error_json(error))};
  }
  return {.kind = FrameKind::kAnswer,
          .id = id,
          .payload = std::move(text),
          .descriptors = std::move(answered->descriptors)};
}

}  // namespace

Answer::Answer() : json_(std::make_unique<Json>(Json::object())) {}
Answer::Answer(Json value, std::vector<Descriptor> attached)
    : descriptors(std::move(attached)), json_(std::make_unique<Json>(std::move(value))) {}
Answer::Answer(Answer&&) noexcept = default;
Answer& Answer::operator=(Answer&&) noexcept = default;
Answer::~Answer() = default;

Frame encode_request(uint64_t id, const std::string& verb, const Json& arguments, std::vector<Descriptor> descriptors) {
  Json content;
  content["verb"] = verb;
  content["arguments"] = arguments;
  return {.kind = FrameKind::kRequest, .id = id, .payload = dump(content), .descriptors = std::move(descriptors)};
}

Result<Answer> decode_answer(Frame frame, uint64_t id) {
  if (frame.id != id || frame.kind == FrameKind::kRequest) {
    return failure(ErrorCode::kFileInvalid, fmt::format("frame {} is no answer to request {}", frame.id, id));
  }
  STITCH_ASSIGN(Json json, parse_json(frame.payload, "an answer"));
  if (!json.is_object()) {
    return failure(ErrorCode::kFileInvalid, "an answer is no JSON object");
  }
  if (frame.kind == FrameKind::kError) {
    return failure(error_code_from_string(text_or_empty(json, "code")), text_or_empty(json, "sentence"),
                   text_or_empty(json, "place"), text_or_empty(json, "remedy"));
  }
  return Answer(std::move(json), std::move(frame.descriptors));
}

Result<Answer> call(Channel& channel, uint64_t id, const std::string& verb, const Json& arguments,
                    std::vector<Descriptor> descriptors, Clock::time_point deadline) {
  STITCH_TRY(channel.send(encode_request(id, verb, arguments, std::move(descriptors)), deadline));
  STITCH_ASSIGN(Frame frame, channel.receive(deadline));
  return decode_answer(std::move(frame), id);
}

Result<void> serve(Channel& channel, const Handler& handler) {
  while (true) {
    Result<Frame> frame = channel.receive(Clock::now() + kPatience);
    if (!frame.has_value()) {
      const bool departed = frame.error().code == ErrorCode::kEnvironment;
      return departed ? Result<void>() : Result<void>(failure(frame.error()));
    }
    STITCH_ASSIGN(const Json content, parse_json(frame->payload, "a request"));
    STITCH_ASSIGN(std::string verb, json_string(content, "verb"));
    STITCH_ASSIGN(const Json* arguments, json_object(content, "arguments"));
    Request request{.verb = std::move(verb), .arguments = *arguments, .descriptors = std::move(frame->descriptors)};
    STITCH_TRY(channel.send(answer_frame(frame->id, handler(request)), Clock::now() + kPatience));
  }
}

}  // namespace stitch::wire
