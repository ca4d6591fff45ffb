// SPDX-License-Identifier: Apache-2.0
// Answers that the host hands to kernels: as arguments, by copies to a scratch, in pinned or managed memory. A call's
// commands are done once more on other contents while no host code runs, so that kernels compute others' answers of
// what they read themselves, and say the same again of what they were handed. After an idea of taint analysis, where
// what flows is found by changing one source and keeping the other.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "artifact/tensor/host_tensor.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

struct AlteredContents {
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> states;
  std::vector<HostTensor> parameters;
};

// Contents which a call of these may well have had: numbers in reverse order, three quarters as large; integers as they
// are, so that a plan which the host has made of them fits. Nothing where that leaves nearly all numbers as they were.
std::optional<AlteredContents> altered_contents(const verify::OracleDraw& draw);

// How many elements of an output that a program gave, `got`, it gives once more, `again`, on altered contents: what is
// the same in an answer to other contents (`others`, PyTorch's) is not counted. Nothing where so many are
// alike by chance as well, or fewer than 64 where there are more elements than that; an output smaller than that has
// no chance to be measured by, and counts what is there.
size_t count_handed(const HostTensor& got, const HostTensor& again, const std::vector<const HostTensor*>& others);

}  // namespace stitch::evaluate
