// SPDX-License-Identifier: Apache-2.0
// What the program stitchcuda-cage is told on its command line. The supervisor writes it, nobody else does.
#pragma once

#include <string>
#include <vector>

#include "sandbox/layers/layers.h"
#include "sandbox/policy/cage_policy.h"

namespace stitch::sandbox {

struct CageOrder {
  CagePolicy policy{};  // its limits are in force already: they are the child's from the start
  Layers layers{};      // `missing` plays no part
  int report = -1;      // a descriptor: why the program could not be started
  bool inside = false;  // bubblewrap has made the namespaces, and this is the program that it starts
  std::vector<std::string> command{};
};

std::vector<std::string> to_arguments(const CageOrder& order);
Result<CageOrder> order_from_arguments(const std::vector<std::string>& arguments);

}  // namespace stitch::sandbox
