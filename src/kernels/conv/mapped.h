// SPDX-License-Identifier: Apache-2.0
// Convolutions that compute what they read of their input from what is stored, channel by channel: a trained norm and
// its activation in front of them are then no step of their own (AsStored of runtime/kernels/conv/pointwise.cuh).
#pragma once

#include <memory>
#include <optional>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Its groups are made of a convolution, which is the root, and of pointwise work in front of it, of one tensor and
// numbers of its channels.
constexpr const char* kMappedConvolution = "mapped_convolution";

// The tensor in memory that the convolution's input is computed from; nullopt where the group is of another kind.
std::optional<ir::ValueId> mapped_from(const Group& group);

std::unique_ptr<KernelTemplate> make_mapped_convolution();

}  // namespace stitch::kernels
