// SPDX-License-Identifier: Apache-2.0
// Programs of a list or folder, and what is known of each.
#pragma once

#include "synth/contamination/decontaminate.h"
#include "synth/make/lanes.h"

namespace stitch::synth {

struct ProgramFile {
  std::filesystem::path path{};
  std::string line{};
};

// Those of a tasks.jsonl (paths below the folder that it lies in), or all of a folder that define a Model, by name.
Result<std::vector<ProgramFile>> programs_in(const std::filesystem::path& place);

// Reads, calls on shapes alone and, `with_graphs`, imports each of them. A program that cannot be is told in `trouble`.
Result<std::vector<Program>> facts_of(const std::vector<ProgramFile>& files, bool with_graphs, Lanes& lanes,
                                      driver::Progress::Wait& wait);

}  // namespace stitch::synth
