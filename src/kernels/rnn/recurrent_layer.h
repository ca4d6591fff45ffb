// SPDX-License-Identifier: Apache-2.0
// lstm_layer, gru_layer and rnn_layer: one launch per time step over kernels/rnn/layer.cuh.
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_recurrent_layer();

}  // namespace stitch::kernels
