// SPDX-License-Identifier: Apache-2.0
#include "tools/requests/knowledge_places.h"

#include "runs/store/run_store.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::tools {

Result<knowledge::Places> find_knowledge_places(const driver::Resources& resources) {
  STITCH_ASSIGN(const std::filesystem::path state, runs::state_folder());
  STITCH_ASSIGN(const std::filesystem::path cache, toolchain::find_cache());
  return knowledge::Places{.cards = resources.cards(),
                           .headers = toolchain::find_cuda_headers(),
                           .own = state / "knowledge",
                           .index = cache / "knowledge" / "index.sqlite"};
}

}  // namespace stitch::tools
