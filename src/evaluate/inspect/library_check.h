// SPDX-License-Identifier: Apache-2.0
// Inspects a stranger's library before anything loads it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "artifact/device_kind.h"
#include "artifact/report/finding.h"
#include "elf/facts/library_facts.h"
#include "elf/policy/policy.h"

namespace stitch::evaluate {

struct LibraryCheck {
  std::optional<elf::LibraryFacts> facts;  // nothing for bytes that are no library
  std::optional<Finding> refusal;
};

// Whether a library of these bytes may be loaded, to be run on `device`.
LibraryCheck check_library(const std::string& bytes, DeviceKind device,
                           elf::CudaRuntime runtime = elf::CudaRuntime::kPerhapsInside);

// Likewise for a library that is an extension module of Python, built by us from the candidate's sources.
LibraryCheck check_extension(const std::string& bytes);

// What holds beside for a library whose instructions were made of a candidate's sources alone.
void add_code_refusal(const std::string& bytes, LibraryCheck& check);

// Reads the file once and keeps what was read as `kept`, so that what is checked is what is loaded.
Result<LibraryCheck> keep_and_check_library(const std::filesystem::path& library, DeviceKind device,
                                            const std::filesystem::path& kept);

}  // namespace stitch::evaluate
