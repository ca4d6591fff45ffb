// SPDX-License-Identifier: Apache-2.0
// What the cases of operators say: a program's types and values as text. For tests alone.
#pragma once

#include <string>

#include "base/testing/case_file.h"

namespace stitch::testing {

// run: infer  the type of every value that a node computes, a line each
// run: eval   every output's type and its elements by the slow reference, from the inputs' elements in `given`:
//               x = 1 -2 nan
// A program that is refused gives "refused: SENTENCE  @ PLACE".
std::string run_case(const CaseFile& one);

}  // namespace stitch::testing
