// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/score.h"

#include <fmt/format.h>

#include "base/error/check.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/replies/verdict_reply.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

Result<driver::ScoreRequest> request_of_score(const Json& arguments, const ToolSettings& settings) {
  driver::ScoreRequest request;
  request.options = options_in(arguments, settings);
  STITCH_ASSIGN(const std::filesystem::path folder, path_in(arguments, "folder", settings));
  STITCH_ASSIGN(const std::filesystem::path candidate, path_in(arguments, "candidate", settings));
  STITCH_ASSIGN(const std::filesystem::path feedback, path_in(arguments, "feedback", settings));
  STITCH_ASSIGN(const std::filesystem::path previous, path_in(arguments, "previous", settings));
  if (folder.empty() == candidate.empty() || (!candidate.empty() && !arguments.contains("program"))) {
    return failure(ErrorCode::kUsage, "score takes either a folder of ours, or a candidate and the program", "",
                   "give 'folder', or 'candidate' and 'program'");
  }
  request.folder = folder.string();
  request.feedback = feedback.string();
  request.previous = previous.string();
  if (!candidate.empty()) {
    STITCH_ASSIGN(request.candidate.task, task_in(arguments, settings));
    request.candidate.candidate = candidate.string();
  }
  return request;
}

// The reasons behind marks quote what a verdict found, and what gave a trick away: they are told of what is right, and
// never of the marks for honesty.
std::string marks_of(const rubric::DimensionMark& mark, bool with_reasons) {
  std::string text = fmt::format("{:<20} {} of 5\n", rubric::to_string(mark.dimension), mark.points);
  if (!with_reasons || mark.dimension == rubric::Dimension::kAntiHacking) {
    return text;
  }
  for (const rubric::CriterionMark& criterion : mark.criteria) {
    const std::string points =
        criterion.mark.points.has_value() ? fmt::format("{:.1f}", *criterion.mark.points) : std::string("-");
    text += fmt::format("  {:<24} {:>4}  {}\n", criterion.criterion->name, points, criterion.mark.reason);
  }
  return text;
}

Result<ToolReply> run_score(const Json& arguments, ToolContext& context) {
  STITCH_ASSIGN(const driver::ScoreRequest request, request_of_score(arguments, context.settings));
  STITCH_ASSIGN(const driver::ScoreReport found, driver::score(request, context.services));
  STITCH_CHECK(found.facts.verdict.has_value()) << "a judge alone was not asked for";
  const bool is_right = found.facts.verdict->kind == VerdictKind::kOk;
  ToolReply reply = verdict_reply(*found.facts.verdict, 0, {});
  reply.text += fmt::format("\n{} of 20 by the rubric {}\n", found.score.total.value_or(0), found.score.version);
  reply.facts["total"] = found.score.total.value_or(0);
  reply.facts["rubric"] = found.score.version;
  for (const rubric::DimensionMark& mark : found.score.dimensions) {
    reply.text += marks_of(mark, is_right);
    reply.facts["dimensions"][rubric::to_string(mark.dimension)] = mark.points;
  }
  return reply;
}

}  // namespace

std::unique_ptr<Tool> score_tool() {
  std::vector<Property> properties = {
      text_property("candidate", "What is marked: a folder of *.cu, a .so, or a .py with ModelNew, with 'program'."),
      text_property("folder", "In their place a folder that expert_program or `stitchcuda optimize` wrote."),
      text_property("feedback", "Of a refinement: a file with what it was asked to do."),
      text_property("previous", "Of a refinement: the sources that it began with.")};
  return request_tool(
      {.name = "score",
       .schema = object_schema(joined(joined(std::move(properties), task_properties()), {device_property()}), {}),
       .effects = {.uses_gpu = true},
       .cost = Cost::kMinutes,
       .is_judging = true},
      run_score);
}

}  // namespace stitch::tools
