// SPDX-License-Identifier: Apache-2.0
// One request to the driver as text. What runs candidates or the user's own program is not asked here: that has
// processes of its own, which `stitchcuda` starts and ends.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stitch::binding {

// A JSON object for a JSON object {"verb": ..., arguments}; with a member "error" where it cannot be answered.
// `programs`: the folder of stitchcuda's programs, from which its files are found.
std::string answer(std::string_view request, const std::filesystem::path& programs);

}  // namespace stitch::binding
