// SPDX-License-Identifier: Apache-2.0
#include "mcp/session/tool_list.h"

#include "tools/arguments/schema.h"
#include "tools/spec/tool_text.h"

namespace stitch::mcp {
namespace {

Json entry_of(const tools::ToolSpec& spec, ProtocolVersion version) {
  const tools::ToolText text = tools::text_of_tool(spec.name);
  Json entry = {{"name", spec.name}};
  if (has_structured_content(version)) {
    entry["title"] = text.title;
  }
  entry["description"] = text.description;
  entry["inputSchema"] = spec.schema;
  if (version != ProtocolVersion::k20241105) {
    entry["annotations"] = {{"title", text.title},
                            {"readOnlyHint", !spec.effects.writes},
                            {"destructiveHint", false},
                            {"openWorldHint", false}};
  }
  return entry;
}

}  // namespace

tools::ToolSpec job_spec(int64_t max_wait_seconds) {
  return {.name = "job",
          .schema = tools::object_schema(
              {tools::text_property("id", "As the call was answered: job-3."),
               tools::choice_property("action", {"wait", "poll", "cancel"}, "wait where it is left out."),
               tools::whole_property("seconds", 1, max_wait_seconds, "How long to wait at most."),
               tools::whole_property("offset", 0, int64_t{1} << 40, "Where to read a long result on, in bytes.")},
              {"id"}),
          .cost = tools::Cost::kSeconds};
}

Json list_tools(const tools::ToolTable& table, const tools::ToolSpec& job, ProtocolVersion version) {
  Json list = Json::array();
  for (const std::unique_ptr<tools::Tool>& tool : table.tools()) {
    list.push_back(entry_of(tool->spec(), version));
  }
  list.push_back(entry_of(job, version));
  return Json{{"tools", std::move(list)}};
}

}  // namespace stitch::mcp
