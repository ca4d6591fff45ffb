// SPDX-License-Identifier: Apache-2.0
// An endpoint's key. It leaves this process in one header of HTTP and nowhere else.
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "llm/exchange/exchange.h"

namespace stitch::chat {

// Empty where the source names none. kEnvironment where the variable is not set, the file is missing, is a link, is not
// ours or may be read by others, or what it holds cannot stand in a header.
Result<std::string> read_key(const llm::KeySource& source);

// Takes the key out of every text in `json`: servers repeat it in errors. So it is with what is left of it where a text
// was cut in the middle of it ("sk-12..."). Keys of less than 8 characters are no secrets: servers without keys want
// any word.
void redact(Json& json, std::string_view key);

}  // namespace stitch::chat
