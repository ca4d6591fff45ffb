// SPDX-License-Identifier: Apache-2.0
// Reads the part of JSON schema that answers are asked for in: types, properties, items, enum, const, anyOf, oneOf,
// $ref within the document, and the limits that `Node` has. What is stated and not done here is refused, never passed
// over, since a text could break it.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "grammar/schema/grammar.h"

namespace stitch::grammar {

// kUsage with the place in the schema, "#/properties/a". Where more is allowed than is written (any white space, other
// properties, numbers of any length), texts of the grammar are a part of those that keep to the schema.
Result<Grammar> read_schema(const Json& schema);

// The schema that every JSON object keeps to.
Json any_object_schema();

}  // namespace stitch::grammar
