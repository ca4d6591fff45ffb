// SPDX-License-Identifier: Apache-2.0
// Why a program that resets the GPU ends badly, in its author's terms.
#pragma once

#include "elf/facts/library_facts.h"
#include "verify/decide/decide.h"

namespace stitch::evaluate {

// Adds to each finding that the program crashed on a GPU that its library calls cudaDeviceReset(), or the driver's
// function of the kind, where it does: what the process dies of afterwards (a fault at some address, a stream that is
// none) names no reason. The emulated device says so itself.
void tell_device_reset(const elf::LibraryFacts& library, verify::Findings& findings);

}  // namespace stitch::evaluate
