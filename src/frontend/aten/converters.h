// SPDX-License-Identifier: Apache-2.0
// The converters named in torch_names.def, and how one is found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/exported/call.h"

namespace stitch::frontend {

// Names of ATen operators share converters, hence a declaration may come twice.
#define STITCH_SAME(aten_name, op)
#define STITCH_CONVERTED(aten_name, converter) Converted convert_##converter(Call& call);
#include "frontend/torch_names.def"
#undef STITCH_SAME
#undef STITCH_CONVERTED

// Runs the converter of the node's operator; kUnsupportedOperator when there is none.
Converted convert(Call& call);

// The supported ATen name closest to `base` in spelling.
std::string nearest_supported(std::string_view base);

}  // namespace stitch::frontend
