// SPDX-License-Identifier: Apache-2.0
// Contents that no draw has, made of those that there are, and what the reference says of answers to them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "artifact/task/math_mode.h"
#include "evaluate/timed_calls/timing.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Inputs, then states.
std::vector<HostTensor> contents_of(const verify::OracleDraw& draw);

// Of each tensor of a call: the bytes of an element that may come from another draw than those around it. 0: the tensor
// comes whole from one draw. Floating-point ones are made so where they are finite in all draws, but for two that may
// be one tensor under two names.
std::vector<uint64_t> element_widths(const std::vector<verify::OracleDraw>& draws);
// Inputs of whole numbers too, but for those of which none stands for itself (OracleProgram::whole_inputs).
std::vector<uint64_t> element_widths_with_integers(const std::vector<verify::OracleDraw>& draws,
                                                   const std::vector<bool>& whole_inputs);

// Each element from either.
std::vector<HostTensor> mixed(const std::vector<HostTensor>& first, const std::vector<HostTensor>& second,
                              const std::vector<uint64_t>& widths, std::mt19937_64& random);
// `base`, but for a row of one tensor: all elements that have one index in common are the other's. One element where
// there are no rows.
std::vector<HostTensor> with_row(const std::vector<HostTensor>& base, const std::vector<HostTensor>& other,
                                 const std::vector<uint64_t>& widths, std::mt19937_64& random);
// `base`, but for an element that both have otherwise: it takes the place of what the other has there or nearby,
// whatever is farthest from it. `base` itself where both are alike.
std::vector<HostTensor> with_element(const std::vector<HostTensor>& base, const std::vector<HostTensor>& other,
                                     const std::vector<uint64_t>& widths, std::mt19937_64& random);

// What PyTorch gives.
std::vector<HostTensor> native_answers(const verify::OracleDraw& draw);

// The draws bring their budgets, answered by the reference itself: verification judged their regime as a whole.
SaidOfCall judge_given(const std::vector<verify::OracleDraw>& draws, MathMode math, const verify::OracleDraw& answer,
                       const std::vector<HostTensor>& results);
// Whether PyTorch's own answer is right by the rule that the program is judged by, and one ulp does not decide.
bool is_fair(const std::vector<verify::OracleDraw>& draws, MathMode math, const verify::OracleDraw& answer);

}  // namespace stitch::evaluate
