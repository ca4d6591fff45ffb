// SPDX-License-Identifier: Apache-2.0
// Where stitchcuda's own files lie, for whoever is not one of its programs.
#pragma once

#include "driver/job/resources.h"

namespace stitch::driver {

// As find_resources(), by the folder that holds the programs.
Result<Resources> resources_beside(const std::filesystem::path& programs);

}  // namespace stitch::driver
