// SPDX-License-Identifier: Apache-2.0
// The rubric's judge at an endpoint, asked through the one process that holds keys.
#pragma once

#include <string>

#include "base/error/result.h"

namespace stitch::cli {

// The answer of `model` at `url`, an endpoint in OpenAI's form, to one prompt. Its key is that of STITCHCUDA_JUDGE_KEY,
// if there is one. kEnvironment or kTimeout where the endpoint does not answer, kUsage where `url` is no address.
Result<std::string> ask_endpoint(const std::string& url, const std::string& model, const std::string& prompt);

}  // namespace stitch::cli
