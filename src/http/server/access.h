// SPDX-License-Identifier: Apache-2.0
// Who may ask over HTTP: programs of this machine that know the token, and no page in a browser.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::http {

// The token in a file of mode 0600; made there, of 256 random bits, where there is none.
Result<std::string> read_or_make_token(const std::filesystem::path& file);

// "Bearer TOKEN" in a time that does not depend on how much of it is right.
bool is_authorized(std::string_view header, const std::string& token);

// "localhost:8931", "127.0.0.1", "[::1]:8931": a page whose name was made to lead here has another.
bool is_local_host(std::string_view host);
// None (a program), or a page of this machine.
bool is_allowed_origin(std::string_view origin);

}  // namespace stitch::http
