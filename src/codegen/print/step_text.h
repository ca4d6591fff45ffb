// SPDX-License-Identifier: Apache-2.0
// A step's file as text. Nothing is decided here.
#pragma once

#include <string>

#include "codegen/raise/raise_step.h"

namespace stitch::codegen {

std::string print_step(const StepFile& step);

}  // namespace stitch::codegen
