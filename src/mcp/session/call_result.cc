// SPDX-License-Identifier: Apache-2.0
#include "mcp/session/call_result.h"

#include <fmt/format.h>

#include "mcp/protocol/message.h"
#include "tools/replies/error_reply.h"
#include "tools/replies/page.h"

namespace stitch::mcp {
namespace {

constexpr size_t kMaxFactsBytes = 2'000;

Json result(const std::string& text, bool is_error) {
  return Json{{"content", Json::array({Json{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
}

Json with_structure(Json result, Json structure, ProtocolVersion version) {
  if (has_structured_content(version)) {
    result["structuredContent"] = std::move(structure);
  }
  return result;
}

Json failure_result(const Error& error, ProtocolVersion version) {
  const bool is_cancelled = error.code == ErrorCode::kInterrupted;
  const std::string text = is_cancelled ? std::string("The call was cancelled.")
                                        : "This machine could not do it: " + tools::error_text(error);
  return with_structure(result(tools::page_of(text, 0).text, true),
                        Json{{"error", is_cancelled ? Json{{"code", "interrupted"}} : tools::error_json(error)}},
                        version);
}

Json facts_of(const tools::ToolReply& reply) {
  Json structure = {{"outcome", tools::to_string(reply.outcome)}};
  if (line_of(reply.facts).size() <= kMaxFactsBytes) {
    structure.update(reply.facts);
  }
  return structure;
}

}  // namespace

Json mistake_result(const std::string& text) { return result(tools::page_of(text, 0).text, true); }

Json reply_result(const tools::ToolReply& reply, ProtocolVersion version) {
  return with_structure(result(tools::cut_to(reply.text, tools::kPageBytes), reply.outcome == tools::Outcome::kMistake),
                        facts_of(reply), version);
}

Json result_of(Call& call, size_t offset, ProtocolVersion version) {
  const Result<tools::ToolReply>& done = call.result();
  if (!done.has_value()) {
    return failure_result(done.error(), version);
  }
  const tools::ToolReply& reply = *done;
  if (offset > 0 && offset >= reply.text.size()) {
    return mistake_result(fmt::format("The result of {} has {} bytes: there is nothing at offset {}.", call.id(),
                                      reply.text.size(), offset));
  }
  tools::Page page = tools::page_of(reply.text, offset);
  Json structure = facts_of(reply);
  if (page.next_offset != 0) {
    structure["job"] = call.id();
    structure["next_offset"] = page.next_offset;
    page.text += fmt::format("\n[{} of {} bytes so far; read on with the tool job: {{\"id\": \"{}\", \"offset\": {}}}]",
                             page.next_offset, reply.text.size(), call.id(), page.next_offset);
  }
  return with_structure(result(page.text, reply.outcome == tools::Outcome::kMistake), std::move(structure), version);
}

Json state_of(Call& call, ProtocolVersion version) {
  const std::string progress = call.progress().substr(0, 500);
  const std::string text = fmt::format(
      "{} is still under way as {}, {:.0f} s so far ({}). Wait for its result with the tool job: {{\"id\": "
      "\"{}\"}}",
      call.tool(), call.id(), call.seconds(), progress, call.id());
  return with_structure(result(text, false),
                        Json{{"outcome", "under_way"},
                             {"job", call.id()},
                             {"tool", call.tool()},
                             {"seconds", call.seconds()},
                             {"progress", progress}},
                        version);
}

}  // namespace stitch::mcp
