// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the word that somebody most likely wanted to write.
#pragma once

#include <string>
#include <vector>

namespace stitch::cli {

// " (did you mean gpu?)", or nothing where no word is near enough to be meant.
std::string did_you_mean(const std::string& given, const std::vector<std::string>& words);

}  // namespace stitch::cli
