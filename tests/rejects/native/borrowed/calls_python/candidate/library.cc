// SPDX-License-Identifier: Apache-2.0
// Asks for the Python interpreter.
extern "C" void* stitch_emulator_launch;
extern "C" int PyRun_SimpleString(const char*);
extern "C" void* stitch_program_v1() {
  PyRun_SimpleString("import torch");
  return &stitch_emulator_launch;
}
