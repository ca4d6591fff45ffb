// SPDX-License-Identifier: Apache-2.0
// The parts that schemas of arguments are made of. What several tools take, each of them takes in the same words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json/json.h"

namespace stitch::tools {

using Property = std::pair<std::string, Json>;

// An object with these properties and no other.
Json object_schema(const std::vector<Property>& properties, const std::vector<std::string>& required);

Property text_property(const std::string& name, const std::string& description);
// A text as long as a file's, which may be empty.
Property content_property(const std::string& name, const std::string& description);
Property choice_property(const std::string& name, const std::vector<std::string>& words,
                         const std::string& description);
Property whole_property(const std::string& name, int64_t minimum, int64_t maximum, const std::string& description);

// program, mode, math, weights: what task_of() reads.
std::vector<Property> task_properties();
// device
Property device_property();
// The first, then the others.
std::vector<Property> joined(std::vector<Property> first, const std::vector<Property>& others);

}  // namespace stitch::tools
