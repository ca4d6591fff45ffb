// SPDX-License-Identifier: Apache-2.0
// In the place of the header of PyTorch of this name.
#pragma once

#include "stitch_emulator/torch_cuda.h"
