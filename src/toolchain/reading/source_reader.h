// SPDX-License-Identifier: Apache-2.0
// A candidate's C++ and CUDA as clang understands it, after the preprocessor of the compiler that builds it. Clang
// meets hostile text: it runs in the compilers' cage, and its end is no failure of ours.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/report/source_fact.h"
#include "artifact/source/source_bundle.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

struct SourceReader {
  std::filesystem::path python;   // that has the package libclang
  std::filesystem::path modules;  // the folder of stitchcuda_source
};

struct SourceReading {
  std::vector<SourceFact> facts;
  std::vector<std::string> unread;  // a sentence for each unit of which nothing is known
};

// Every unit of a bundle that builds for `target`; of an extension of PyTorch without what PyTorch's headers declare.
// An Error where the machine cannot run anything at all.
Result<SourceReading> read_sources(const SourceBundle& bundle, const Target& target, const Toolchain& tools,
                                   const SourceReader& reader);

}  // namespace stitch::toolchain
