// SPDX-License-Identifier: Apache-2.0
// The candidate in what a model wrote, taken out once, here, so that trainers cannot differ in it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "service/request/evaluation_request.h"

namespace stitch::service {

// Fit to be laid out as a folder: `model_new.py`, or sources with a *.cu among them.
struct ExtractedCandidate {
  std::vector<CandidateFile> files;
};
struct NoCandidate {
  std::string why;  // a sentence for whoever wrote it
};
using Extraction = std::variant<ExtractedCandidate, NoCandidate>;

inline constexpr size_t kMaxCandidateBytes = size_t{1} << 20;

// Thoughts are dropped, up to the last </think>, or from one that never ended; then comes everything up to the first
// control token, if one was left in; of that the last whole fence of Python or CUDA (or of `language` alone). An answer
// that ends within a fence was cut, and holds none.
Extraction extract_completion(const std::string& text, const std::string& language);

// Paths that leave the folder, or no form of candidate among them: NoCandidate.
Extraction extract_files(std::vector<CandidateFile> files);

}  // namespace stitch::service
