// SPDX-License-Identifier: Apache-2.0
// What cuobjdump tells of a library's kernels: `-res-usage` their registers and memory, `-sass` their instructions.
// Text that a hostile library was made into is read with bounds, and gives fewer figures, never a failure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/values/measurement.h"

namespace stitch::profile {

struct CodeOfKernel {
  std::string name;            // as the linker knows it
  std::string architecture{};  // "sm_90a"; empty where the text names none
  LaunchShape shape{};
  std::map<std::string, double> opcodes{};  // by family
};

// kFileInvalid where the text has no kernel at all, or a kernel without its figures (it was cut).
Result<std::vector<CodeOfKernel>> read_resource_usage(std::string_view text);

// Adds the opcode mix to kernels of the same name and architecture. kFileInvalid where the text has no instruction of
// any of them.
Result<void> read_opcodes(std::string_view text, std::vector<CodeOfKernel>& kernels);

// "LDG.E.128" is of family "global loads"; the family of what is none of the named ones is "other".
const char* opcode_family(std::string_view opcode);

// The name as its author wrote it; the same text where it is none of C++'s, or is too long to be looked at.
std::string readable_name(const std::string& name);

}  // namespace stitch::profile
