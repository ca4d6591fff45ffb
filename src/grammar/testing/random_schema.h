// SPDX-License-Identifier: Apache-2.0
// Schemas, values that keep to them, and ways to write these, all by chance. For tests alone.
#pragma once

#include <random>
#include <string>

#include "base/json/json.h"

namespace stitch::grammar::testing {

using Chance = std::mt19937_64;

// From 0 to count - 1.
size_t below(Chance& chance, size_t count);

// Of every kind that read_schema() takes, with $defs that may refer to themselves.
Json random_schema(Chance& chance);
// Nothing where chance led too deep.
std::optional<Json> random_value(Chance& chance, const Json& document);
// With white space, escapes and orders of keys that need not be those of a printer.
std::string random_text(Chance& chance, const Json& value);

}  // namespace stitch::grammar::testing
