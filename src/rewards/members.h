// SPDX-License-Identifier: Apache-2.0
// What is taken from answers of others where it is there, and passed over where it is not.
#pragma once

#include <map>
#include <string>

#include "base/json/json_forward.h"

namespace stitch::rewards {

// Empty where there is no such member, or no text.
std::string text_in(const Json& object, const char* key);

// The members of `from` that are finite numbers, their names behind `prefix`.
void add_numbers(const Json& from, const std::string& prefix, std::map<std::string, double>& parts);

}  // namespace stitch::rewards
