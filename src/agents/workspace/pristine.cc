// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/pristine.h"

#include "agents/coder/host_text.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "codegen/emit.h"
#include "driver/project/project.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"
#include "tools/spec/tool_text.h"
#include "tools/workspace/contract.h"

namespace stitch::agents {

Result<Pristine> pristine_of(driver::Workbench& workbench, AnswerForm form) {
  const driver::VerifiedProgram& expert = workbench.expert();
  STITCH_ASSIGN(const TemporaryDirectory temporary, TemporaryDirectory::make("stitch-workspace"));
  const std::map<std::string, std::string> extra = {{"plan.json", plan::to_json(workbench.plan()).dump(1) + "\n"},
                                                    {"task.json", to_json(expert.task).dump(1) + "\n"}};
  STITCH_TRY(driver::install_project(expert.program.bundle, extra, temporary.path() / kProgramFolder));
  Pristine pristine{.form = form};
  STITCH_ASSIGN(const tools::Beneath files, tools::Beneath::open(temporary.path()));
  for (const tools::FileBeneath& file : files.list(tools::kMaxFiles)) {
    STITCH_ASSIGN(pristine.files[file.path], read_file(temporary.path() / file.path));
  }
  STITCH_ASSIGN(pristine.files["program.py"], read_file(expert.task.file));
  pristine.files["CONTRACT.md"] = tools::contract_text(workbench.plan());
  pristine.files["SKILL.md"] = std::string(tools::embedded_text("workspace/SKILL"));
  if (form == AnswerForm::kModule) {
    STITCH_ASSIGN(pristine.files[kModuleFile], driver::expert_module(workbench.job(), expert));
    pristine.answers[driver::kModule] = kModuleFile;
    return pristine;
  }
  for (size_t i = 0; i < workbench.plan().steps.size(); ++i) {
    pristine.answers[driver::key_of_step(workbench.plan(), i)] =
        std::string(kProgramFolder) + "/" + codegen::step_file_name(workbench.plan(), i);
  }
  pristine.files[kHostFile] = host_text(plan::host_of(workbench.plan()));
  pristine.answers[driver::kHostSide] = kHostFile;
  return pristine;
}

}  // namespace stitch::agents
