// SPDX-License-Identifier: Apache-2.0
// JSON of strangers, with objects of very many members: a vocabulary, the header of a model's file. Json looks keys up
// one by one, so that reading such an object into it takes time with the square of its size.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace stitch {

// An object whose members are handed over one at a time, in the order of the text, and not kept.
struct LargeObject {
  std::string path;  // keys from the outermost object on, joined by dots: "model.vocab"; empty: the outermost one
  std::function<Result<void>(const std::string& key, const Json& value)> on_member;
};

// The outermost object without what was handed over. kFileInvalid where the text is no JSON, no object, nested deeper
// than 32, names a key twice in one object (which readers of JSON take differently), or has more than 1,000 members in
// an object that is not among `large`; and what on_member said, as it said it. `what` begins the sentence.
Result<Json> parse_large_json(std::string_view text, const std::string& what, std::span<const LargeObject> large = {});

}  // namespace stitch
