// SPDX-License-Identifier: Apache-2.0
// Whether code enters the system past the C library, by whose names imports are judged.
#pragma once

#include <optional>
#include <string>

#include "elf/image/image.h"

namespace stitch::elf {

// The first instruction by which a library's code does: "syscall"; empty where none does, or for bytes that are no
// library. All that can be executed is decoded in its order, and anew wherever a jump leads into the midst of an
// instruction. Not found: one in the midst of another, to which a computed address alone leads.
std::string find_system_entry(Bytes library);

// Why a library that was compiled from a candidate's sources is refused for such an instruction, in a sentence; nothing
// where there is none. One that came built may hold other programs' code, for which its confinement answers.
std::optional<std::string> system_entry_refusal(Bytes library);

}  // namespace stitch::elf
