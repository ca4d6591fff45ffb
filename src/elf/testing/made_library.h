// SPDX-License-Identifier: Apache-2.0
// Libraries for tests: one put together byte by byte, and ones that the compiler makes of a few lines.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "base/fs/files.h"
#include "base/process/child.h"

namespace stitch::elf::testing {

// All parts of a small library, at places known beforehand; a test changes some of them and asks for the bytes.
struct MadeLibrary {
  Elf64_Ehdr header{};
  Elf64_Phdr segments[3]{};
  Elf64_Dyn dynamic[8]{};
  Elf64_Sym symbols[3]{};
  uint32_t hash[8]{};
  Elf64_Rela relocation{};
  char strings[64]{};
};

inline MadeLibrary made_library() {
  MadeLibrary library;
  std::memcpy(library.header.e_ident, ELFMAG, SELFMAG);
  library.header.e_ident[EI_CLASS] = ELFCLASS64;
  library.header.e_ident[EI_DATA] = ELFDATA2LSB;
  library.header.e_type = ET_DYN;
  library.header.e_machine = EM_X86_64;
  library.header.e_phoff = offsetof(MadeLibrary, segments);
  library.header.e_phentsize = sizeof(Elf64_Phdr);
  library.header.e_phnum = 3;
  library.segments[0] = {PT_LOAD, PF_R, 0, 0, 0, sizeof(MadeLibrary), sizeof(MadeLibrary), 4096};
  library.segments[1] = {PT_DYNAMIC,
                         PF_R,
                         offsetof(MadeLibrary, dynamic),
                         offsetof(MadeLibrary, dynamic),
                         0,
                         sizeof(library.dynamic),
                         sizeof(library.dynamic),
                         8};
  library.segments[2] = {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16};
  std::memcpy(library.strings, "\0libc.so.6\0fork\0stitch_program_v1\0", 34);
  library.dynamic[0] = {DT_NEEDED, {1}};
  library.dynamic[1] = {DT_STRTAB, {offsetof(MadeLibrary, strings)}};
  library.dynamic[2] = {DT_STRSZ, {sizeof(library.strings)}};
  library.dynamic[3] = {DT_SYMTAB, {offsetof(MadeLibrary, symbols)}};
  library.dynamic[4] = {DT_HASH, {offsetof(MadeLibrary, hash)}};
  library.dynamic[5] = {DT_RELA, {offsetof(MadeLibrary, relocation)}};
  library.dynamic[6] = {DT_RELASZ, {sizeof(library.relocation)}};
  library.symbols[1] = {11, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, SHN_UNDEF, 0, 0};
  library.symbols[2] = {16, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, 1, 64, 8};
  library.hash[0] = 1;
  library.hash[1] = 3;
  library.relocation = {16, ELF64_R_INFO(1, R_X86_64_GLOB_DAT), 0};
  return library;
}

inline std::string bytes_of(const MadeLibrary& library) {
  return {reinterpret_cast<const char*>(&library), sizeof(library)};
}

// What g++ makes of these lines of C++; empty where there is none.
inline std::string compiled_library(const std::string& source, const std::vector<std::string>& flags = {}) {
  auto folder = TemporaryDirectory::make("elf-test");
  if (!folder.has_value() || !write_file(folder->path() / "a.cc", source).has_value()) {
    return {};
  }
  ChildOptions options;
  options.arguments = {"g++", "-shared", "-fPIC", "-w", "a.cc", "-o", "a.so"};
  options.arguments.insert(options.arguments.end(), flags.begin(), flags.end());
  options.working_directory = folder->path();
  const auto ran = run_child(options, 60000);
  const auto bytes = read_file(folder->path() / "a.so");
  return ran.has_value() && bytes.has_value() ? *bytes : std::string();
}

}  // namespace stitch::elf::testing
