// SPDX-License-Identifier: Apache-2.0
// Texts of other people inside a page, so that none of them can end the element it stands in.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json_forward.h"

namespace stitch::report {

// For element content and quoted attributes. Bytes that are no UTF-8 become U+FFFD.
std::string escape_html(std::string_view text);

// JSON for <script type="application/json">: the same value, without a `<`, `>` or `&`, and always valid UTF-8.
std::string json_for_page(const Json& value);

// JavaScript for <script>: the same program, without "</script" or "<!--" (both can only be in literals and comments).
std::string script_for_page(std::string_view script);

}  // namespace stitch::report
