// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/built_library.h"

#include <utility>

#include "base/fs/files.h"

namespace stitch::evaluate {
namespace {

Result<LibraryCheck> check_own_code(toolchain::BuildRequest request, const toolchain::Toolchain& tools) {
  request.own_code_alone = true;
  STITCH_ASSIGN(const CompileReport own, toolchain::build(request, tools));
  STITCH_ASSIGN(const std::string bytes, read_file(own.library));
  LibraryCheck own_check = check_library(bytes, request.device, elf::CudaRuntime::kApart);
  add_code_refusal(bytes, own_check);
  return own_check;
}

}  // namespace

Result<LibraryCheck> check_built_library(toolchain::BuildRequest request, const std::string& library,
                                         const toolchain::Toolchain& tools) {
  LibraryCheck own;
  if (request.device == DeviceKind::kCuda) {
    STITCH_ASSIGN(own, check_own_code(request, tools));
    if (own.refusal.has_value()) {
      return own;
    }
  }
  STITCH_ASSIGN(const std::string bytes, read_file(library));
  LibraryCheck whole = check_library(bytes, request.device);
  if (request.device != DeviceKind::kCuda) {
    add_code_refusal(bytes, whole);
  }
  whole.facts = own.facts.has_value() ? std::move(own.facts) : std::move(whole.facts);
  return whole;
}

}  // namespace stitch::evaluate
