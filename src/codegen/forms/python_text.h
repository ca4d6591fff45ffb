// SPDX-License-Identifier: Apache-2.0
// C++ values as Python literals.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/forms/python_forms.h"

namespace stitch::codegen {

std::string python_string(const std::string& text);
std::string python_bool(bool value);
std::string python_tuple(const std::vector<int64_t>& values);
// {"": True, "norm": True}
std::string python_modes(const std::map<std::string, bool>& modes);
// {"lifted": ("float32", (2, 3), "base64")}
std::string python_constants(const std::vector<PythonReference::Constant>& constants);

}  // namespace stitch::codegen
