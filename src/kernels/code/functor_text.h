// SPDX-License-Identifier: Apache-2.0
// A decided functor as C++.
#pragma once

#include "kernels/code/functor_tree.h"
#include "kernels/code/step_code.h"

namespace stitch::kernels {

Functor to_text(const FunctorTree& functor);

}  // namespace stitch::kernels
