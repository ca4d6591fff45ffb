// SPDX-License-Identifier: Apache-2.0
// Settings "cluster_256" of 2, 4 or 8 blocks: rows that a cluster keeps in its shared memory
// (runtime/kernels/common/cluster_rows.cuh).
#pragma once

#include "kernels/rows/row_functors.h"

namespace stitch::kernels {

// Those for rows of these columns: none where a row is too short to be shared or too long for a cluster, or where the
// device has no clusters.
std::vector<Setting> cluster_row_settings(const RowAxes& axes, const DeviceLimits& limits);
bool is_cluster_row(const Setting& setting);
// Threads of a block.
int cluster_row_threads(const Setting& setting);
Work cluster_row_work(const Group& group, const RowAxes& axes, const Setting& setting);

// "ClusterRowShape shape{...};" in the step's launch, after the proofs of lanes for "load" and for "store".
void add_cluster_row_shape(StepBuilder& step, const Expr& rows, const Expr& columns, const Setting& setting,
                           const LoweredFunctor& load, const LoweredFunctor& store);

}  // namespace stitch::kernels
