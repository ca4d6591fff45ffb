// SPDX-License-Identifier: Apache-2.0
// IR text back into a graph. Blank lines and lines that begin with # are skipped. Types of results may be left out
// (they are inferred); where they are written, validate() checks them.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph/graph.h"

namespace stitch::ir {

// `file_name` is named in errors, with the line.
Result<Graph> parse(std::string_view text, const std::string& file_name);

// "f32[2,3]" alone.
Result<TensorType> parse_type(std::string_view text);

}  // namespace stitch::ir
