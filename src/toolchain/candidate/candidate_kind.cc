// SPDX-License-Identifier: Apache-2.0
#include "toolchain/candidate/candidate_kind.h"

#include "toolchain/candidate/candidate_sources.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kForms =
    "give a .so, a .py with ModelNew, or a folder with model_new.py, with *.cu that define stitch_program_v1(), or "
    "with "
    "bundle.json";

}  // namespace

const char* to_string(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::kBundle:
      return "bundle";
    case CandidateKind::kSources:
      return "sources";
    case CandidateKind::kLibrary:
      return "library";
    case CandidateKind::kPython:
      return "python";
  }
  return "";
}

Result<CandidateKind> classify_candidate(const fs::path& path) {
  std::error_code ignored;
  const std::string location = path.string();
  if (!fs::exists(path, ignored)) {
    return failure(ErrorCode::kFileInvalid, "there is no candidate " + location, location, kForms);
  }
  if (fs::is_regular_file(path, ignored)) {
    if (path.extension() == ".so") {
      return CandidateKind::kLibrary;
    }
    if (path.extension() == ".py") {
      return CandidateKind::kPython;
    }
    return failure(ErrorCode::kFileInvalid, location + " is no candidate", location, kForms);
  }
  if (fs::exists(path / "bundle.json", ignored)) {
    return CandidateKind::kBundle;
  }
  if (fs::exists(path / "model_new.py", ignored)) {
    return CandidateKind::kPython;
  }
  STITCH_ASSIGN(const bool has_sources, holds_sources(path));
  if (has_sources) {
    return CandidateKind::kSources;
  }
  return failure(ErrorCode::kFileInvalid, location + " holds no candidate", location, kForms);
}

}  // namespace stitch::toolchain
