// SPDX-License-Identifier: Apache-2.0
// The data of a training run's page: a pure function from what its records say.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json/json_forward.h"
#include "report/training/run_records.h"

namespace stitch::report {

// {"schema": "stitchcuda.training_page/1", "name", "headline", "figures", "stages", "plots", "notes"}: as
// docs/training.md tells. `most_points` is of one curve within one stage. Lines that cannot be read are counted in the
// notes.
Json training_data(const std::vector<RunRecords>& stages, size_t most_points);

}  // namespace stitch::report
