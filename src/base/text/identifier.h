// SPDX-License-Identifier: Apache-2.0
// A name that every language of the output takes, from one that a person gave a file.
#pragma once

#include <string>
#include <string_view>

namespace stitch {

// Letters, digits and underscores of ASCII, never empty and never beginning with a digit: what is anything else becomes
// "_", and "program_" goes before a digit and before words that graph.ir or CMake keep for themselves.
// "10_ResNet101" -> "program_10_ResNet101", "my model" -> "my_model", "test" -> "program_test".
std::string as_identifier(std::string_view text);

}  // namespace stitch
