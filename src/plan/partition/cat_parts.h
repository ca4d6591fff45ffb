// SPDX-License-Identifier: Apache-2.0
// Parts of a concatenation that the steps which make them can write to their places in the whole.
#pragma once

#include <map>
#include <set>

#include "plan/partition/assemble.h"

namespace stitch::plan {

// What a concatenation finds when it comes to be added to a plan.
struct BesideCat {
  const Plan& plan;                           // with the steps before it
  const std::map<ir::ValueId, int>& readers;  // how many steps of the whole program read each value
  const std::set<ir::ValueId>& handed_back;   // by the program
  bool takes_few = false;                     // bytes: it is to be put together so wherever it can be
};

bool is_cat(const ChosenStep& chosen);
// Of `cat`: those that nobody else reads, made by a step whose setting stores element by element. Empty where the whole
// has no memory that others may write to.
std::vector<kernels::InWhole> parts_to_place(const ChosenStep& cat, const BesideCat& beside);
// The number of the step that makes `value`; -1 for none.
int maker_of(const Plan& plan, ir::ValueId value);

}  // namespace stitch::plan
