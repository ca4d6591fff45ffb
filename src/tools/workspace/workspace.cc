// SPDX-License-Identifier: Apache-2.0
#include "tools/workspace/workspace.h"

#include "base/fs/files.h"
#include "base/json/json.h"
#include "driver/requests/expert.h"
#include "plan/batch/any_batch.h"
#include "tools/spec/tool_text.h"
#include "tools/workspace/contract.h"

namespace stitch::tools {
namespace {

namespace fs = std::filesystem;

Result<void> check_is_empty(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored)) ||
      (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored))) {
    return {};
  }
  return failure(ErrorCode::kUsage, folder.string() + " holds something already", folder.string(),
                 "name a new or empty folder");
}

}  // namespace

Result<WorkspaceReport> write_workspace(const WorkspaceRequest& request, const driver::Services& services) {
  STITCH_TRY(check_is_empty(request.folder));
  STITCH_ASSIGN(const std::string source, read_file(request.task.file));
  STITCH_ASSIGN(const driver::ExpertReport expert,
                driver::expert_program({request.task, request.folder / "expert", request.options}, services));
  const plan::Plan& plan = expert.program.plan;
  STITCH_TRY(write_file(request.folder / "program.py", source));
  STITCH_TRY(write_file(request.folder / "task.json", to_json(request.task).dump(1) + "\n"));
  STITCH_TRY(write_file(request.folder / "CONTRACT.md", contract_text(plan)));
  STITCH_TRY(write_file(request.folder / "SKILL.md", std::string(embedded_text("workspace/SKILL"))));
  return WorkspaceReport{request.folder, expert.imported.operators, plan.steps.size(),
                         plan::declared_modelled_us(plan)};
}

}  // namespace stitch::tools
