// SPDX-License-Identifier: Apache-2.0
#include "driver/build/enter_cage.h"

#include <cstdlib>

#include "artifact/report/verdict_mark.h"
#include "sandbox/cage/cage.h"

namespace stitch::driver {
namespace {

// In a few words: which layers are lacking.
std::string mark_of(const sandbox::Layers& layers) {
  std::string lacking;
  for (const sandbox::Layers::Missing& missing : layers.missing) {
    lacking += std::string(lacking.empty() ? "" : ", ") + to_string(missing.layer);
  }
  return "reduced: without " + lacking;
}

void mark(Job& job, const std::string& cage) {
  if (verdict_mark() != cage) {
    mark_verdicts(cage);
    job.progress().fact("sandbox", cage);
  }
}

}  // namespace

Result<void> enter_cage(Job& job) {
  const char* unsafe = std::getenv(kNoSandboxVariable);
  if (unsafe != nullptr && std::string(unsafe) == "1") {
    sandbox::go_without_cage();
    mark(job, "none: --unsafe-no-sandbox");
    return {};
  }
  STITCH_TRY(sandbox::require_cage());
  STITCH_ASSIGN(const sandbox::Layers layers, sandbox::machine_layers());
  if (layers.isolation() == sandbox::Isolation::kReduced) {
    mark(job, mark_of(layers));
  }
  return {};
}

}  // namespace stitch::driver
