// SPDX-License-Identifier: Apache-2.0
// Names that a library defines for others and names that it wants from them.
#pragma once

#include <vector>

#include "elf/facts/library_facts.h"

namespace stitch::elf {

// All relocations, those of lazily bound functions among them.
Result<std::vector<Elf64_Rela>> read_relocations(const Image& image);

// Fills exports, imports and indirect_functions.
Result<void> read_symbols(const Image& image, const std::vector<Elf64_Rela>& relocations, LibraryFacts& facts);

}  // namespace stitch::elf
