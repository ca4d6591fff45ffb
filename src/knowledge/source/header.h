// SPDX-License-Identifier: Apache-2.0
// Documents out of a C or CUDA header: each function, type, enumeration and enumerator that a comment explains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/source/document.h"

namespace stitch::knowledge {

// `name` is what the header is included by. An id is "header:NAME-OF-THE-THING"; overloads in one header are one
// document. Lexical: nothing is included or expanded.
std::vector<Document> read_header(const std::string& name, const std::string& source, std::string_view text);

}  // namespace stitch::knowledge
