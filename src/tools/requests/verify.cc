// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/verify.h"

#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/replies/verdict_reply.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

Result<driver::VerifyRequest> request_of(const Json& arguments, const ToolSettings& settings) {
  driver::VerifyRequest request;
  request.options = options_in(arguments, settings);
  STITCH_ASSIGN(const std::filesystem::path folder, path_in(arguments, "folder", settings));
  STITCH_ASSIGN(const std::filesystem::path candidate, path_in(arguments, "candidate", settings));
  if (folder.empty() == candidate.empty()) {
    return failure(ErrorCode::kUsage, "verify takes either a folder of ours, or a candidate and the program", "",
                   "give 'folder', or 'candidate' and 'program'");
  }
  if (!folder.empty()) {
    request.folder = folder.string();
    if (const std::optional<int64_t> step = whole_in(arguments, "step")) {
      request.step = static_cast<int>(*step);
    }
    return request;
  }
  if (!arguments.contains("program")) {
    return failure(ErrorCode::kUsage, "a candidate is judged against a program", "",
                   "give 'program', the PyTorch file that it stands for");
  }
  STITCH_ASSIGN(request.candidate.task, task_in(arguments, settings));
  request.candidate.candidate = candidate.string();
  return request;
}

Result<ToolReply> run_verify(const Json& arguments, ToolContext& context) {
  STITCH_ASSIGN(const driver::VerifyRequest request, request_of(arguments, context.settings));
  STITCH_ASSIGN(const driver::VerifyReport found, driver::verify(request, context.services));
  const evaluate::VerifyReport& judged = found.candidate.report.verify;
  const Verdict verdict = judged.verdict();
  ToolReply reply = verdict_reply(verdict, judged.error_ratio, found.hints);
  reply.facts["device"] = to_string(found.device);
  if (verdict.kind == VerdictKind::kOk && found.candidate.times.has_value()) {
    reply.text += "\n" + describe(*found.candidate.times);
  }
  return reply;
}

}  // namespace

std::unique_ptr<Tool> verify_tool() {
  std::vector<Property> properties = {
      text_property("candidate", "What is judged against 'program': a folder of *.cu, a .so, or a .py with ModelNew."),
      text_property("folder",
                    "In their place a folder that expert_program or `stitchcuda optimize` wrote, as it is now."),
      whole_property("step", 0, 100'000, "Of a folder: that step of its plan alone.")};
  return request_tool(
      {.name = "verify",
       .schema = object_schema(joined(joined(std::move(properties), task_properties()), {device_property()}), {}),
       .effects = {.uses_gpu = true},
       .cost = Cost::kMinutes,
       .is_judging = true},
      run_verify);
}

}  // namespace stitch::tools
