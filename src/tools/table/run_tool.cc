// SPDX-License-Identifier: Apache-2.0
#include "tools/table/run_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/guard/guarded.h"
#include "tools/arguments/check_arguments.h"
#include "tools/replies/error_reply.h"
#include "tools/replies/page.h"

namespace stitch::tools {

std::optional<ToolReply> mistake_in_call(const ToolTable& table, const std::string& name, const Json& arguments) {
  const Tool* tool = table.find(name);
  if (tool == nullptr) {
    return mistake(fmt::format("There is no tool '{}'. The tools are: {}.", name.substr(0, 80), table.names()));
  }
  const std::vector<std::string> faults = faults_of_arguments(tool->spec().schema, arguments);
  if (!faults.empty()) {
    return mistake(fmt::format("{} was not called: {}.", name, fmt::join(faults, "; ")));
  }
  return std::nullopt;
}

Result<ToolReply> run_tool(const ToolTable& table, const std::string& name, const Json& arguments,
                           ToolContext& context) {
  if (std::optional<ToolReply> wrong = mistake_in_call(table, name, arguments)) {
    return std::move(*wrong);
  }
  const Tool& tool = *table.find(name);
  auto ran = guarded([&] { return tool.run(arguments, context); }, ErrorCode::kInternal, "an unexpected failure");
  Result<ToolReply> reply = ran.has_value() ? std::move(ran).value() : Result<ToolReply>(failure(ran.error()));
  if (!reply.has_value() && is_callers(reply.error().code)) {
    ToolReply wrong = mistake(error_text(reply.error()));
    wrong.facts["error"] = error_json(reply.error());
    reply = std::move(wrong);
  }
  if (reply.has_value()) {
    reply->text = cut_to(std::move(reply->text), tool.spec().max_bytes);
  }
  return reply;
}

}  // namespace stitch::tools
