// SPDX-License-Identifier: Apache-2.0
// Deliberately slow versions of an emitted step, as right as it is: what a program is bettered from, where lessons are
// made of how it is done.
#pragma once

#include <optional>
#include <string>

namespace stitch::agents {

enum class Slowness {
  kNaiveKernel,   // a plain kernel in the place of ours: no shared memory, no neighbouring accesses
  kScalarAccess,  // an element an access, never four
};

// Of a file as codegen prints it; of several steps in one, the first that can be. Nothing where it has no such part.
std::optional<std::string> slow_text(const std::string& text, Slowness how);

}  // namespace stitch::agents
