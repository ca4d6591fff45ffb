// SPDX-License-Identifier: Apache-2.0
// serve-model: a model over HTTP in OpenAI's form, until it is told to end.
#pragma once

#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

// `words` behind "serve-model". Ends at SIGTERM, SIGINT or SIGHUP.
Result<Json> run_serve_model(const std::vector<std::string>& words);

}  // namespace stitch::train
