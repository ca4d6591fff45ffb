// SPDX-License-Identifier: Apache-2.0
#include "llm/chat/stream_reader.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "llm/sse/utf8.h"

namespace stitch::llm {

std::optional<Fault> StreamReader::feed(std::string_view bytes) {
  if (form_ == Form::kUnknown) {
    const size_t first = bytes.find_first_not_of(" \r\n\t\xEF\xBB\xBF");  // a mark of byte order, too
    if (first == std::string_view::npos) {
      return std::nullopt;
    }
    bytes.remove_prefix(first);
    form_ = bytes.front() == '{' ? Form::kObject : Form::kEvents;
    is_page_ = bytes.front() == '<';
  }
  if (form_ == Form::kObject) {
    object_ += bytes;
    return std::nullopt;
  }
  for (const std::string& data : events_.feed(bytes)) {
    if (std::optional<Fault> fault = take(data); fault.has_value()) {
      return fault;
    }
  }
  return std::nullopt;
}

std::variant<ChatReply, Fault> StreamReader::finish() {
  const std::vector<std::string> rest = form_ == Form::kObject ? std::vector{object_} : events_.finish();
  for (const std::string& data : rest) {
    if (std::optional<Fault> fault = take(data); fault.has_value()) {
      return *fault;
    }
  }
  if (!builder_.has_choice()) {
    return Fault{.kind = FaultKind::kBroken,
                 .message = is_page_ ? "the endpoint answered with a page of HTML: most addresses of models end in /v1"
                                     : "the endpoint's answer holds no choice"};
  }
  if (!builder_.has_finished() && !is_done_ && form_ != Form::kObject) {
    return Fault{.kind = FaultKind::kBroken, .message = "the stream ended before the answer did"};
  }
  return builder_.build();
}

std::optional<Fault> StreamReader::take(const std::string& data) {
  if (is_done_) {
    return std::nullopt;
  }
  if (data == "[DONE]") {
    is_done_ = true;
    return std::nullopt;
  }
  const Result<Json> piece = parse_json(with_stray_bytes_marked(data), "an event");
  if (!piece.has_value()) {
    return Fault{.kind = FaultKind::kBroken,
                 .message = fmt::format("what the endpoint sent is no JSON: {}", printable_line(data, 80))};
  }
  std::optional<Fault> fault = builder_.take(*piece);
  if (!fault.has_value() && builder_.has_choice() && --pieces_left_ < 0) {
    builder_.cut();
    is_done_ = true;
  }
  return fault;
}

}  // namespace stitch::llm
