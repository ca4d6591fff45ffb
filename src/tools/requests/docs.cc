// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/printable.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/knowledge_places.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

constexpr int64_t kDefaultPassages = 5;
constexpr size_t kMaxSnippetBytes = 600;

ToolReply passages_reply(const std::vector<knowledge::Passage>& passages) {
  ToolReply reply;
  for (const knowledge::Passage& passage : passages) {
    reply.text += fmt::format("{}\n  id {}\n  {}\n", passage.title, passage.id,
                              printable_line(passage.snippet, kMaxSnippetBytes));
  }
  reply.text += passages.empty() ? "Nothing was found: try other words." : "Read one whole by its id.";
  reply.facts["passages"] = passages.size();
  return reply;
}

Result<ToolReply> run_docs(const Json& arguments, ToolContext& context) {
  const std::optional<std::string> id = text_in(arguments, "id");
  const std::optional<std::string> words = text_in(arguments, "query");
  const std::optional<std::string> log = text_in(arguments, "error");
  if ((id.has_value() ? 1 : 0) + (words.has_value() ? 1 : 0) + (log.has_value() ? 1 : 0) != 1) {
    return failure(ErrorCode::kUsage, "docs takes one of query, error and id", "", "give one of them");
  }
  STITCH_ASSIGN(const knowledge::Places places, find_knowledge_places(context.services.resources));
  STITCH_ASSIGN(knowledge::Library library, knowledge::Library::open(places));
  if (id.has_value()) {
    STITCH_ASSIGN(const knowledge::Passage passage, library.find(*id));
    ToolReply reply;
    reply.text =
        fmt::format("{} ({} {})\n\n{}", passage.title, passage.source, passage.place, printable_lines(passage.text));
    reply.facts["id"] = passage.id;
    return reply;
  }
  const knowledge::Query query = words.has_value() ? knowledge::Query(knowledge::TextQuery{*words})
                                                   : knowledge::Query(knowledge::ErrorQuery{*log});
  const auto limit = static_cast<int>(whole_in(arguments, "limit").value_or(kDefaultPassages));
  STITCH_ASSIGN(const std::vector<knowledge::Passage> passages, library.search(query, limit));
  return passages_reply(passages);
}

}  // namespace

std::unique_ptr<Tool> docs_tool() {
  return request_tool(
      {.name = "docs",
       .schema = object_schema({text_property("query", "Words to look for: a function of CUDA, a technique."),
                                text_property("error", "Or what a compiler, a sanitizer or a run said."),
                                text_property("id", "Or the id of a passage, which is shown whole."),
                                whole_property("limit", 1, 20, "Passages at most; 5 where it is left out.")},
                               {})},
      run_docs);
}

}  // namespace stitch::tools
