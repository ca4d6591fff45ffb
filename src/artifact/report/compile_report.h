// SPDX-License-Identifier: Apache-2.0
// What a compiler said, in places and sentences.
#pragma once

#include <string>
#include <vector>

namespace stitch {

enum class Severity { kNote, kWarning, kError };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string file;  // as the bundle names it: "steps/03_fc1_gelu.cu"
  int line = 0;
  std::string message;
};

struct CompileReport {
  bool ok = false;
  // What does not compile are words of CUDA that the emulated device does not have, and nothing else.
  bool is_beyond_device = false;
  std::vector<Diagnostic> diagnostics;
  std::string library;    // path of the shared library, when ok
  std::string build_key;  // SHA-256 of everything the library depends on
  int units_compiled = 0;
  int units_from_cache = 0;
};

}  // namespace stitch
