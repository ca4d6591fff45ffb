// SPDX-License-Identifier: Apache-2.0
// Forward declaration of the JSON type, for headers. Sources include "base/json/json.h".
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace stitch {
// Keys keep their order of insertion, so that the same value always prints as the same text.
using Json = nlohmann::ordered_json;
}  // namespace stitch
