// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/library_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "elf/code/system_entry.h"

namespace stitch::evaluate {
namespace {

constexpr const char* kEntry = "stitch_program_v1";
constexpr uintmax_t kMaxLibraryBytes = uintmax_t{2} << 30;

Finding finding(VerdictKind kind, std::string reason) { return {Stage::kInspect, kind, std::move(reason)}; }

// Code for the other device is no mistake of the candidate's, but there is nothing to run it on.
std::optional<std::string> unrunnable(const elf::LibraryFacts& facts, DeviceKind device) {
  if (device != DeviceKind::kCuda && facts.has_gpu_code && !facts.is_emulated) {
    return "the library holds code for GPUs; the emulated device runs sources (*.cu), which it compiles itself";
  }
  if (device == DeviceKind::kCuda && facts.is_emulated) {
    return "the library was built for the emulated device; a GPU needs one that nvcc made, or sources";
  }
  return std::nullopt;
}

}  // namespace

LibraryCheck check_library(const std::string& bytes, DeviceKind device, elf::CudaRuntime runtime) {
  LibraryCheck check;
  Result<elf::LibraryFacts> facts = elf::inspect(std::as_bytes(std::span(bytes)));
  if (!facts.has_value()) {
    check.refusal = finding(VerdictKind::kBuildFailed, facts.error().message);
    return check;
  }
  check.facts = std::move(*facts);
  const auto watched = device == DeviceKind::kChecked ? std::nullopt : elf::sanitizer_refusal(*check.facts);
  if (const auto refusal = elf::refusal(*check.facts, runtime)) {
    check.refusal = finding(VerdictKind::kCheated, *refusal);
  } else if (watched.has_value()) {
    check.refusal = finding(VerdictKind::kCheated, *watched);
  } else if (const auto other_device = unrunnable(*check.facts, device)) {
    check.refusal = finding(VerdictKind::kUnsupported, *other_device);
  } else if (!std::binary_search(check.facts->exports.begin(), check.facts->exports.end(), kEntry)) {
    check.refusal = finding(VerdictKind::kBuildFailed, fmt::format("the library exports no function {}()", kEntry));
  }
  return check;
}

LibraryCheck check_extension(const std::string& bytes) {
  LibraryCheck check;
  Result<elf::LibraryFacts> facts = elf::inspect(std::as_bytes(std::span(bytes)));
  if (!facts.has_value()) {
    check.refusal = finding(VerdictKind::kBuildFailed, facts.error().message);
    return check;
  }
  check.facts = std::move(*facts);
  if (const auto refusal = elf::extension_refusal(*check.facts)) {
    check.refusal = finding(VerdictKind::kCheated, *refusal);
  }
  add_code_refusal(bytes, check);
  return check;
}

void add_code_refusal(const std::string& bytes, LibraryCheck& check) {
  if (!check.refusal.has_value()) {
    if (const auto refusal = elf::system_entry_refusal(std::as_bytes(std::span(bytes)))) {
      check.refusal = finding(VerdictKind::kCheated, *refusal);
    }
  }
}

Result<LibraryCheck> keep_and_check_library(const std::filesystem::path& library, DeviceKind device,
                                            const std::filesystem::path& kept) {
  std::error_code failed;
  const uintmax_t size = std::filesystem::file_size(library, failed);
  if (failed) {
    return failure(ErrorCode::kFileInvalid, "cannot read the library: " + failed.message(), library.string(),
                   "check the path and its permissions");
  }
  if (size > kMaxLibraryBytes) {
    return LibraryCheck{{}, finding(VerdictKind::kBuildFailed, "the library is larger than 2 GiB")};
  }
  STITCH_ASSIGN(const std::string bytes, read_file(library));
  STITCH_TRY(write_file(kept, bytes));
  return check_library(bytes, device);
}

}  // namespace stitch::evaluate
