// SPDX-License-Identifier: Apache-2.0
// A card: one thing to do, when, what it brings, how to check that it worked, and what goes wrong.
//
//   # Title
//
//   - **When:** ...            - **Do:** ...      - **Gain:** ...      - **Check:** ...      - **Pitfalls:** ...
//   - **Messages:** ...        what compilers and programs say when it applies; may be missing
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.h"
#include "knowledge/source/document.h"

namespace stitch::knowledge {

// `name` is FAMILY/NAME: the card's id. kFileInvalid where it has no title, lacks a part, or has an unknown one.
Result<Document> read_card(const std::string& name, std::string_view text);

}  // namespace stitch::knowledge
