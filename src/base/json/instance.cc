// SPDX-License-Identifier: Apache-2.0
// The one instantiation of the JSON type; json.h declares it.
#include "base/json/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
