// SPDX-License-Identifier: Apache-2.0
// In the place of the header of PyTorch of this name: stitch_emulator_torch.h came before it.
#pragma once
