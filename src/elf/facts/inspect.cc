// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "base/json/json.h"
#include "elf/facts/library_facts.h"
#include "elf/facts/symbols.h"

namespace stitch::elf {
namespace {

// What nvcc puts before the code of each GPU, and before the record that registers it.
constexpr uint32_t kFatBinaryMagic = 0xba55ed50;
constexpr uint32_t kFatBinaryWrapperMagic = 0x466243b1;
constexpr const char* kEmulatorPrefix = "stitch_emulator";
constexpr std::array<std::string_view, 3> kTorchNames = {"libtorch", "libc10", "libaten"};

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool holds_word(Bytes bytes, uint32_t word) {
  for (size_t at = 0; at + sizeof(word) <= bytes.size(); at += sizeof(word)) {
    uint32_t here = 0;
    std::memcpy(&here, bytes.data() + at, sizeof(here));
    if (here == word) {
      return true;
    }
  }
  return false;
}

int entries_of(const Image& image, int64_t size_tag) {
  constexpr uint64_t kMaxTold = 1 << 20;  // the size is whatever the file says; two of them are added
  const Elf64_Dyn* size = image.find(size_tag);
  return size == nullptr ? 0 : static_cast<int>(std::min(size->d_un.d_val / sizeof(uint64_t), kMaxTold));
}

// Libraries that the loader brings along, and where it looks for them.
Result<void> read_dependencies(const Image& image, LibraryFacts& facts) {
  for (const Elf64_Dyn& entry : image.dynamic()) {
    const bool is_needed = entry.d_tag == DT_NEEDED || entry.d_tag == DT_FILTER || entry.d_tag == DT_AUXILIARY ||
                           entry.d_tag == DT_AUDIT || entry.d_tag == DT_DEPAUDIT;
    const bool is_path = entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
    if (is_needed || is_path) {
      STITCH_ASSIGN(std::string name, image.string_at(entry.d_un.d_val));
      (is_needed ? facts.needed : facts.run_paths).push_back(std::move(name));
    }
  }
  return {};
}

void read_start(const Image& image, LibraryFacts& facts) {
  // _init and _fini are there in every library and do nothing when crti.o alone wrote them; we cannot tell.
  facts.constructors = entries_of(image, DT_INIT_ARRAYSZ) + entries_of(image, DT_PREINIT_ARRAYSZ);
  facts.destructors = entries_of(image, DT_FINI_ARRAYSZ);
}

void read_memory(const Image& image, LibraryFacts& facts) {
  bool says_stack = false;
  for (const Elf64_Phdr& segment : image.segments()) {
    const bool is_executable = (segment.p_flags & PF_X) != 0;
    if (segment.p_type == PT_GNU_STACK) {
      says_stack = true;
      facts.has_executable_stack = is_executable;
    }
    if (segment.p_type == PT_LOAD && is_executable && (segment.p_flags & PF_W) != 0) {
      facts.has_writable_code = true;
    }
    if (segment.p_type == PT_TLS) {
      facts.thread_local_bytes = segment.p_memsz;
    }
  }
  facts.has_executable_stack = facts.has_executable_stack || !says_stack;
  const Elf64_Dyn* flags = image.find(DT_FLAGS);
  facts.has_writable_code = facts.has_writable_code || image.find(DT_TEXTREL) != nullptr ||
                            (flags != nullptr && (flags->d_un.d_val & DF_TEXTREL) != 0);
}

// The loader reads these tables again for each symbol: a relocation that changes them makes other names of them.
void read_changes(const Image& image, const std::vector<Elf64_Rela>& relocations, LibraryFacts& facts) {
  for (const int64_t tag : {DT_STRTAB, DT_SYMTAB, DT_RELA, DT_JMPREL, DT_VERSYM, DT_VERNEED}) {
    const Elf64_Dyn* entry = image.find(tag);
    const Elf64_Phdr* segment = entry == nullptr ? nullptr : image.segment_of(entry->d_un.d_ptr);
    facts.changes_its_tables = facts.changes_its_tables || (segment != nullptr && (segment->p_flags & PF_W) != 0);
  }
  const Elf64_Phdr* dynamic = image.dynamic_segment();
  for (const Elf64_Rela& relocation : relocations) {
    const uint64_t end = dynamic->p_vaddr + dynamic->p_memsz;
    // Of a symbol's own size, which no shared library needs: it could reach the tables from anywhere.
    const bool is_copy = ELF64_R_TYPE(relocation.r_info) == R_X86_64_COPY;
    const uint64_t words = ELF64_R_TYPE(relocation.r_info) == R_X86_64_TLSDESC ? 2 : 1;
    const bool is_within =
        relocation.r_offset < end && relocation.r_offset + words * sizeof(uint64_t) > dynamic->p_vaddr;
    facts.changes_its_tables = facts.changes_its_tables || is_copy || is_within;
  }
}

void read_device_code(const Image& image, LibraryFacts& facts) {
  facts.has_gpu_code = holds_word(image.bytes(), kFatBinaryMagic) || holds_word(image.bytes(), kFatBinaryWrapperMagic);
  facts.is_emulated = std::any_of(facts.imports.begin(), facts.imports.end(),
                                  [](const Import& import) { return import.name.starts_with(kEmulatorPrefix); });
  const std::string_view text = text_of(image.bytes());
  facts.names_torch = std::any_of(kTorchNames.begin(), kTorchNames.end(),
                                  [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

}  // namespace

Result<LibraryFacts> inspect(Bytes bytes) {
  STITCH_ASSIGN(const Image image, Image::parse(bytes));
  LibraryFacts facts;
  STITCH_TRY(read_dependencies(image, facts));
  STITCH_ASSIGN(const std::vector<Elf64_Rela> relocations, read_relocations(image));
  STITCH_TRY(read_symbols(image, relocations, facts));
  read_start(image, facts);
  read_memory(image, facts);
  read_changes(image, relocations, facts);
  read_device_code(image, facts);
  return facts;
}

Json to_json(const LibraryFacts& facts) {
  Json imports = Json::array();
  for (const Import& import : facts.imports) {
    imports.push_back(import.library.empty() ? import.name : import.name + "@" + import.library);
  }
  return Json{{"exports", facts.exports},
              {"imports", imports},
              {"needed", facts.needed},
              {"run_paths", facts.run_paths},
              {"constructors", facts.constructors},
              {"destructors", facts.destructors},
              {"indirect_functions", facts.indirect_functions},
              {"thread_local_bytes", facts.thread_local_bytes},
              {"gpu_code", facts.has_gpu_code},
              {"emulated", facts.is_emulated},
              {"executable_stack", facts.has_executable_stack},
              {"writable_code", facts.has_writable_code}};
}

}  // namespace stitch::elf
