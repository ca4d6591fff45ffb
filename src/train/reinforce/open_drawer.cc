// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/open_drawer.h"

namespace stitch::train {
namespace {

// What server and trainer have to score alike: the first prompt, and some tokens that may follow it.
Result<std::vector<int64_t>> canary_of(const Decoder& model, const Prompt& prompt) {
  constexpr int64_t kTokens = 16;
  SampleSettings settings;
  settings.max_tokens = kTokens;
  const SampleRequest request{prompt.ids, 0};
  STITCH_ASSIGN(const std::vector<Sample> drawn, sample(model, {&request, 1}, settings));
  std::vector<int64_t> canary = prompt.ids;
  canary.insert(canary.end(), drawn.front().tokens.begin(), drawn.front().tokens.end());
  return canary;
}

}  // namespace

Result<std::unique_ptr<Drawer>> open_drawer(const ServerSettings& settings, const PromptSource& source,
                                            const LoopSettings& loop, const Decoder& model) {
  if (settings.url.empty()) {
    return std::unique_ptr<Drawer>();
  }
  STITCH_ASSIGN(std::vector<int64_t> canary, canary_of(model, source.train.prompts.front()));
  STITCH_ASSIGN(auto served,
                ServedPolicy::open(settings, loop.base, loop.resolve(loop.run) / "served", std::move(canary)));
  return std::unique_ptr<Drawer>(std::move(served));
}

}  // namespace stitch::train
