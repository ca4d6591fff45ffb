// SPDX-License-Identifier: Apache-2.0
// What a job may ask for. What is not here is refused: above all whatever names a file, a command, an address, a key,
// or does without the cage.
#pragma once

#include <string_view>

#include "base/error/result.h"

namespace stitch::farm {

bool is_known_verb(std::string_view verb);
// An Error that says why where `word` ("--math=tf32", "--train") is none.
Result<void> check_option(std::string_view word);
// Whether `--name` may be followed by a file or folder of the job's.
bool takes_input(std::string_view name);

}  // namespace stitch::farm
