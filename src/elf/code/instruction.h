// SPDX-License-Identifier: Apache-2.0
// One instruction of x86-64: how long it is, where it jumps, and whether it enters the system.
#pragma once

#include <cstdint>
#include <optional>

#include "elf/image/image.h"

namespace stitch::elf {

struct Instruction {
  size_t bytes = 1;
  std::optional<int64_t> jump;  // of a direct jump or call: from the instruction's end
  const char* entry = nullptr;  // "syscall", "sysenter", "int 0x80", "vmcall"; of anything else null
};

// The instruction at the start of `code`; nothing for bytes that are none, or where it reaches beyond the end. Lengths
// follow from the maps of opcodes in the Intel 64 and AMD64 manuals (volumes 2 and 3), VEX, EVEX and XOP among them.
std::optional<Instruction> decode(Bytes code);

}  // namespace stitch::elf
