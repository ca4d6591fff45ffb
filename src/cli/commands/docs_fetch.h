// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands/invocation.h"
#include "knowledge/library/library.h"

namespace stitch::cli {

// docs fetch: shows the licence, asks, brings the guides and puts them into the index. kUsage where it was not
// accepted.
Result<int> fetch_guides(Invocation& invocation, const knowledge::Places& places);

}  // namespace stitch::cli
