// SPDX-License-Identifier: Apache-2.0
// edit and multi_edit: exact texts replaced by others, all of them or none.
#include <fmt/format.h>

#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"
#include "tools/requests/request_tool.h"

namespace stitch::tools {
namespace {

struct Replacement {
  std::string old_text;
  std::string new_text;
  bool all = false;
};

Replacement replacement_in(const Json& object) {
  const auto all = object.find("all");
  return {.old_text = text_in(object, "old").value_or(""),
          .new_text = text_in(object, "new").value_or(""),
          .all = all != object.end() && all->is_boolean() && all->get<bool>()};
}

// How often it was replaced. kUsage where the old text is not there, or is not unique.
Result<size_t> replace(std::string& text, const Replacement& wanted, const std::string& path) {
  std::vector<size_t> places;
  for (size_t at = text.find(wanted.old_text); at != std::string::npos;
       at = text.find(wanted.old_text, at + wanted.old_text.size())) {
    places.push_back(at);
  }
  if (places.empty()) {
    return failure(ErrorCode::kUsage, "the old text is not in " + path, path, "read the file, and copy it exactly");
  }
  if (places.size() > 1 && !wanted.all) {
    return failure(ErrorCode::kUsage, fmt::format("the old text is in {} {} times", path, places.size()), path,
                   "take more lines around it, or replace all of them with all=true");
  }
  for (auto at = places.rbegin(); at != places.rend(); ++at) {
    text.replace(*at, wanted.old_text.size(), wanted.new_text);
    if (text.size() > kMaxFileBytes) {
      return failure(ErrorCode::kUsage, path + " would be too long", path, "keep files below 1 MiB");
    }
  }
  return places.size();
}

Result<ToolReply> apply(const std::string& path, const std::vector<Replacement>& wanted, ToolContext& context) {
  STITCH_ASSIGN(const Beneath files, Beneath::open(context.settings.root));
  STITCH_ASSIGN(std::string text, files.read(path, kMaxFileBytes));
  size_t count = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Result<size_t> replaced = replace(text, wanted[i], path);
    if (!replaced.has_value()) {
      return failure(wanted.size() == 1 ? replaced.error()
                                        : with_context(replaced.error(), fmt::format("edit {}", i + 1)));
    }
    count += *replaced;
  }
  STITCH_TRY(files.write(path, text));
  ToolReply reply;
  reply.text = fmt::format("{} {} replaced in {}.", count, count == 1 ? "place was" : "places were", path);
  reply.facts = {{"replaced", count}};
  return reply;
}

Result<ToolReply> run_edit(const Json& arguments, ToolContext& context) {
  return apply(*text_in(arguments, "path"), {replacement_in(arguments)}, context);
}

Result<ToolReply> run_multi_edit(const Json& arguments, ToolContext& context) {
  std::vector<Replacement> wanted;
  for (const Json& each : arguments["edits"]) {
    wanted.push_back(replacement_in(each));
  }
  return apply(*text_in(arguments, "path"), wanted, context);
}

std::vector<Property> replacement_properties() {
  Property old_text = content_property("old", "What stands there now, exactly.");
  old_text.second["minLength"] = 1;
  return {old_text,
          content_property("new", "What shall stand there; may be empty."),
          {"all", Json{{"type", "boolean"}, {"description", "Every place, where there are several."}}}};
}

}  // namespace

std::unique_ptr<Tool> edit_tool() {
  return request_tool(
      {.name = "edit",
       .schema = object_schema(joined({text_property("path", "A file of the workspace.")}, replacement_properties()),
                               {"path", "old", "new"}),
       .effects = {.writes = true},
       .cost = Cost::kInstant},
      run_edit);
}

std::unique_ptr<Tool> multi_edit_tool() {
  const Property edits = {"edits", Json{{"type", "array"},
                                        {"minItems", 1},
                                        {"maxItems", 64},
                                        {"description", "Done in this order; all of them or none."},
                                        {"items", object_schema(replacement_properties(), {"old", "new"})}}};
  return request_tool(
      {.name = "multi_edit",
       .schema = object_schema({text_property("path", "A file of the workspace."), edits}, {"path", "edits"}),
       .effects = {.writes = true},
       .cost = Cost::kInstant},
      run_multi_edit);
}

}  // namespace stitch::tools
