// SPDX-License-Identifier: Apache-2.0
// What a candidate's library may not ask for: only what no kernel needs. The worker's confinement is the boundary; this
// tells the reason before anything runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "elf/facts/library_facts.h"

namespace stitch::elf {

// Whether the library's imports may be those of the CUDA runtime, which GPU builds link in statically.
enum class CudaRuntime { kPerhapsInside, kApart };

enum class LibraryUse {
  kProgram,       // is the candidate
  kBesidePython,  // does what the candidate's Python tells it to: on the emulated device it may work on the host
};

// What an extension was compiled for, and by whom.
enum class ExtensionDevice {
  kEmulated,  // by us, of the candidate's sources
  kCuda,  // by PyTorch's builder or Triton in the candidate's own process: cuBLAS, the driver and Triton's modules too
};

// Why the library is refused, in a sentence; nothing when it may be loaded.
std::optional<std::string> refusal(const LibraryFacts& facts, CudaRuntime runtime = CudaRuntime::kPerhapsInside,
                                   LibraryUse use = LibraryUse::kProgram);

// Likewise for what asks for functions of sanitizers, though it was built without any.
std::optional<std::string> sanitizer_refusal(const LibraryFacts& facts);

// Likewise for an extension module of Python that is built against PyTorch: memory, views and PyTorch's operators by
// their dispatcher, where each call is seen, are allowed; what computes past it, or switches the observer off, is not.
// Whatever it says of versions, its imports are judged by their names.
std::optional<std::string> extension_refusal(const LibraryFacts& facts,
                                             ExtensionDevice device = ExtensionDevice::kEmulated);

// What holds for both. `also_needed`: libraries beside those of C, C++ and CUDA.
std::optional<std::string> refusal_of_any(const LibraryFacts& facts, CudaRuntime runtime, LibraryUse use,
                                          std::span<const std::string_view> also_needed);

}  // namespace stitch::elf
