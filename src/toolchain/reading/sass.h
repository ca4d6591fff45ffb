// SPDX-License-Identifier: Apache-2.0
// What a GPU's code does, by its instructions: whatever the source pretends, this is what runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/report/source_fact.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::toolchain {

// Of the text that cuobjdump -sass prints: a fact's file is the kernel's name as the linker knows it. Kernels of
// several architectures are told once.
std::vector<SourceFact> sass_facts(const std::string& text);

struct SassReading {
  std::vector<SourceFact> facts;
  std::string unread;  // why nothing is known; empty when all is well
};

// Disassembles in the compilers' cage: a library is hostile bytes.
Result<SassReading> read_sass(const std::filesystem::path& library, const Toolchain& tools);

}  // namespace stitch::toolchain
