// SPDX-License-Identifier: Apache-2.0
// Is linked with PyTorch.
extern "C" void* stitch_emulator_launch;
extern "C" void* stitch_program_v1() { return &stitch_emulator_launch; }
