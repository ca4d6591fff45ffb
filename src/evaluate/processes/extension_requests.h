// SPDX-License-Identifier: Apache-2.0
// What a candidate in Python asks torch.utils.cpp_extension for, found out by a process that runs it up to there.
#pragma once

#include <string>
#include <vector>

#include "artifact/source/source_bundle.h"
#include "base/json/json_forward.h"
#include "evaluate/candidate.h"
#include "sandbox/policy/confinement.h"

namespace stitch::evaluate {

struct ExtensionRequest {
  std::string key;  // by which the candidate's process knows it
  SourceBundle bundle;
  std::vector<std::string> macros;  // "-DNAME=1"
};

struct ExtensionRequests {
  std::vector<ExtensionRequest> requests;  // that have no library yet
  bool is_cut = false;                     // it came no further: there may be more once these are built
};

// All of the answer is the candidate's word: names and sizes are checked, texts are only ever compiled. kProgramInvalid
// for what could not be compiled anywhere, and for what is no answer: no failing world, whatever it says.
Result<ExtensionRequests> extension_requests_from_json(const Json& answer);

// Nothing where the candidate ends badly before it asks: its verdict says how.
Result<ExtensionRequests> extension_requests(const CandidateBinary& binary, sandbox::CageMode cage);

}  // namespace stitch::evaluate
