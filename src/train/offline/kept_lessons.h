// SPDX-License-Identifier: Apache-2.0
// What rejection fine-tuning kept, as lessons that `sft` and people read.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error/result.h"
#include "train/loop/loop_settings.h"
#include "train/rollout/rollout_record.h"

namespace stitch::train {

// A line of `stitchcuda.lesson/1` (docs/formats.md) for each of the records at `places`; gives how many. Answers to ids
// without messages have no question to be told, and of several turns the last answer is none to the first question:
// both are learned from, and are no lessons.
Result<int64_t> write_lessons(const std::filesystem::path& path, const RolloutFile& file,
                              const std::vector<size_t>& places, const LoopSettings& loop);

}  // namespace stitch::train
