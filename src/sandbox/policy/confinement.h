// SPDX-License-Identifier: Apache-2.0
// Whether one request keeps its candidates in a cage, and what its verdicts say of that: a value, made once for the
// request and handed down. Two requests of one process may differ.
#pragma once

#include <string>

namespace stitch::sandbox {

enum class CageMode {
  kCaged,
  kNone,  // limits alone; for users who ask for it, and for what is no candidate's code
};

struct Confinement {
  CageMode mode = CageMode::kCaged;
  std::string mark{};  // "reduced: without files", "none: --unsafe-no-sandbox"; empty where the cage is whole
};

}  // namespace stitch::sandbox
