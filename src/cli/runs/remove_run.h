// SPDX-License-Identifier: Apache-2.0
// Forgetting a run, with or without the folder that it wrote.
#pragma once

#include <string>
#include <vector>

#include "runs/store/run_store.h"

namespace stitch::cli {

// The id of the newest run after `record` that wrote to the same folder; empty when there is none.
Result<std::string> later_run_in(const runs::RunStore& store, const runs::RunRecord& record);

// Removes the record; with `with_folder` the folder, too, if it is one that optimize wrote and no later run wrote to
// it. Answers with a sentence on each thing that went or stayed.
Result<std::vector<std::string>> remove_run(const runs::RunStore& store, const runs::RunRecord& record,
                                            bool with_folder);

}  // namespace stitch::cli
