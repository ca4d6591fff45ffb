// SPDX-License-Identifier: Apache-2.0
// What an acceptance stands on: how many draws were planned, and what became of each.
#pragma once

#include <string>
#include <vector>

namespace stitch::verify {

// The draws at one set of shapes.
struct PlannedDraws {
  std::string shape;
  int planned = 0;
  int judged = 0;
  int told = 0;           // that say nothing about any candidate; the report names each with its reason
  std::string refusal{};  // PyTorch itself does not run these sizes: then nothing is planned, and the report says so
};

struct CheckedDraws {
  int planned = 0;
  int judged = 0;
  int told = 0;
  std::string absence{};  // why none is planned
};

struct Proof {
  bool builds_only = false;          // nothing was asked but whether it builds, and it does
  std::vector<PlannedDraws> shapes;  // the declared ones first
  CheckedDraws checked;

  // Why this proves nothing; empty where it is enough.
  std::string lack() const;
};

}  // namespace stitch::verify
