// SPDX-License-Identifier: Apache-2.0
// Brings functions of the CUDA runtime of its own.
extern "C" void* stitch_emulator_launch;
extern "C" void* stitch_program_v1() { return &stitch_emulator_launch; }
extern "C" int cudaEventElapsedTime(float* time, void*, void*) {
  *time = 0.0f;
  return 0;
}
