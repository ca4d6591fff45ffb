// SPDX-License-Identifier: Apache-2.0
// Turns a CUDA source into C++ that g++ takes with the emulator's headers: launches, shared memory and a few words are
// rewritten, quoted includes found in the given folders are rewritten in place, everything else stays byte for byte.
#pragma once

#include <string>
#include <vector>

namespace stitch::rewriter {

struct RewriteOptions {
  std::string path;       // of the source; quoted includes are looked up beside it first
  std::string file_name;  // what #line calls it
  // Searched in order. Empty: includes stay as they are written, for a caller that rewrites each file into a folder
  // of its own.
  std::vector<std::string> include_directories;
  // The text is read and never run: what the emulated device cannot do stays as it stands.
  bool for_reading = false;
};

struct RewriteOutcome {
  std::string text;
  std::vector<std::string> refusals;  // "file:line: sentence"; the text is of no use when there are any
};

RewriteOutcome rewrite(const std::string& source, const RewriteOptions& options);

}  // namespace stitch::rewriter
