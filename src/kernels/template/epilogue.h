// SPDX-License-Identifier: Apache-2.0
// What the epilogue of a product reads besides its sums.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Operands that the epilogue alone reads, an element for each of the root's.
double large_operands_behind(const Group& group);

// Whether the epilogue looks at the root's result in another order: what it reads and writes is apart, then.
bool stores_apart(const Group& group);

// A thread that stores what it has summed waits for each of those, one behind the other, while its block does nothing
// else: adds that time of all waves of the work's blocks. `stores_of_thread`: of one tile.
void add_waiting_work(const Group& group, double stores_of_thread, Work& work);

}  // namespace stitch::kernels
