// SPDX-License-Identifier: Apache-2.0
#include "agents/run/workspace_roles.h"

#include "agents/acp/acp_session.h"
#include "agents/react/react_session.h"

namespace stitch::agents {

Result<std::unique_ptr<WorkspaceCoder>> workspace_coder(WorkspaceParts parts, driver::Workbench& workbench) {
  STITCH_ASSIGN(Pristine pristine, pristine_of(workbench, parts.rules.answer));
  if (parts.rules.coder == CoderKind::kAcp) {
    auto session = std::make_unique<AcpSession>(
        parts.prompts, AcpRules{.command = parts.rules.agent, .hidden = parts.rules.hidden_variables},
        std::move(parts.told));
    return std::make_unique<WorkspaceCoder>("acp " + parts.rules.agent, std::move(session), parts.journal,
                                            RunFolder(parts.folder), std::move(pristine), parts.is_offline);
  }
  const bool on_gpu = workbench.expert().device == DeviceKind::kCuda;
  if (!parts.team.coder.has_value()) {
    return failure(ErrorCode::kUsage, "--coder react needs a model for the Coder", "",
                   "name one with --llm and --model, or --model expert");
  }
  const ReactRules rules{.turns = parts.rules.turns,
                         .tools = {.device = on_gpu ? "gpu" : "emulated",
                                   .cage = workbench.job().options().cage,
                                   .target = workbench.expert().task.target,
                                   .mode = workbench.expert().task.mode,
                                   .math = to_string(workbench.expert().task.math)},
                         .is_offline = parts.is_offline};
  std::string name = name_of_session(rules, *parts.team.coder, parts.prompts);
  auto session = std::make_unique<ReactSession>(Desk{parts.asker, parts.prompts}, *parts.team.coder, parts.journal,
                                                rules, std::move(parts.told));
  return std::make_unique<WorkspaceCoder>(std::move(name), std::move(session), parts.journal, RunFolder(parts.folder),
                                          std::move(pristine), parts.is_offline);
}

}  // namespace stitch::agents
