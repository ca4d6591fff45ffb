// SPDX-License-Identifier: Apache-2.0
// An answer that does not do a task's work. The oracle makes them. A comparison that accepts one has judged nothing.
#pragma once

#include <string>

namespace stitch::verify {

struct NullCandidate {
  std::string key;     // among the nulls of one program, "N08:x"
  std::string number;  // in the list of them, "N08"
  std::string about;   // "input x of another draw"
  // Every output stands for itself and states play no part; false: the program's whole answer is judged.
  bool by_output = false;
};

}  // namespace stitch::verify
