// SPDX-License-Identifier: Apache-2.0
// program.cu and program.h as text. Nothing is decided here.
#pragma once

#include <string>

#include "codegen/raise/raise_program.h"

namespace stitch::codegen {

std::string print_program(const ProgramFile& program);
std::string print_program_header(const ProgramFile& program);

}  // namespace stitch::codegen
