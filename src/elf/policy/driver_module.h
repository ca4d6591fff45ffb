// SPDX-License-Identifier: Apache-2.0
// Modules of Python in C that reach the GPU by libcuda.so.1, as Triton compiles them.
#pragma once

#include <string>

#include "elf/facts/library_facts.h"

namespace stitch::elf {

// "cuLaunchKernel": a function of the driver's.
bool is_driver_function(const std::string& name);
// "dlsym": a function of the loader's.
bool is_look_up(const std::string& name);
// Nothing but functions of the driver, of Python and a few of C, no code for GPUs, and no word of libtorch.
bool is_driver_module(const LibraryFacts& facts);

}  // namespace stitch::elf
