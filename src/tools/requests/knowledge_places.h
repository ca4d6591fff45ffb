// SPDX-License-Identifier: Apache-2.0
// Where what is looked up lies.
#pragma once

#include "base/error/result.h"
#include "driver/job/resources.h"
#include "knowledge/library/library.h"

namespace stitch::tools {

// Where what is looked up lies for this user, on this machine. kEnvironment where no folder can be written to.
Result<knowledge::Places> find_knowledge_places(const driver::Resources& resources);

}  // namespace stitch::tools
