// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text/printable.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"
#include "tools/requests/request_tool.h"

namespace stitch::tools {
namespace {

constexpr size_t kMaxShown = 400;
constexpr size_t kMaxPathBytes = 400;

// `**/` stands for any folders or none, and only then a `*` matches a stroke, too.
bool fits(const std::string& pattern, const std::string& path) {
  if (pattern.find("**") == std::string::npos) {
    return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  }
  const size_t any = pattern.find("**/");
  return ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0 ||
         (any != std::string::npos &&
          ::fnmatch((pattern.substr(0, any) + pattern.substr(any + 3)).c_str(), path.c_str(), 0) == 0);
}

Result<ToolReply> run_glob(const Json& arguments, ToolContext& context) {
  const std::string pattern = *text_in(arguments, "pattern");
  STITCH_ASSIGN(const Beneath files, Beneath::open(context.settings.root));
  ToolReply reply;
  size_t count = 0;
  for (const FileBeneath& file : files.list(kMaxFiles)) {
    if (fits(pattern, file.path) && ++count <= kMaxShown) {
      reply.text += fmt::format("{:>8}  {}\n", file.bytes, printable_line(file.path, kMaxPathBytes));
    }
  }
  reply.text += count == 0 ? "No file fits." : count > kMaxShown ? fmt::format("({} in all)", count) : "";
  reply.facts = {{"files", count}};
  return reply;
}

}  // namespace

std::unique_ptr<Tool> glob_tool() {
  Property pattern = text_property("pattern", "\"expert/steps/*.cu\", or \"**/*.cuh\" for any folder.");
  pattern.second["maxLength"] = 200;
  return request_tool({.name = "glob", .schema = object_schema({pattern}, {"pattern"}), .cost = Cost::kInstant},
                      run_glob);
}

}  // namespace stitch::tools
