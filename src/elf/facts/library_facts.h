// SPDX-License-Identifier: Apache-2.0
// What a shared library brings, asks for and does when it is loaded. Found out without loading it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "elf/image/image.h"

namespace stitch::elf {

struct Import {
  std::string name;
  std::string library;  // that it is bound to by its version, as "libc.so.6"; empty where it may come from any
};

struct LibraryFacts {
  std::vector<std::string> exports;  // sorted, as are the imports by their names
  std::vector<Import> imports;
  std::vector<std::string> needed;  // libraries that are loaded with it, filters and auditors among them
  std::vector<std::string> run_paths;
  int constructors = 0;  // functions that run when it is loaded; static C++ objects have some
  int destructors = 0;
  int indirect_functions = 0;  // resolvers that run when it is loaded
  uint64_t thread_local_bytes = 0;
  bool has_gpu_code = false;
  bool is_emulated = false;  // built for the emulated device
  bool names_torch = false;  // among its strings, which is where dlopen() would find it
  bool has_executable_stack = false;
  bool has_writable_code = false;
  bool changes_its_tables = false;  // by relocation, so that what is read here is not what is loaded
};

// kFileInvalid with a sentence for bytes that are no library for x86-64, or an altered or cut one. Never crashes.
Result<LibraryFacts> inspect(Bytes bytes);

Json to_json(const LibraryFacts& facts);

}  // namespace stitch::elf
