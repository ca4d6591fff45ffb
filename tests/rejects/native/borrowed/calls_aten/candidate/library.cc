// SPDX-License-Identifier: Apache-2.0
// Calls ATen and leaves it to the loader to find it.
namespace at {
struct Tensor {};
Tensor matmul(const Tensor&, const Tensor&);
}  // namespace at
extern "C" void* stitch_emulator_launch;
extern "C" void* stitch_program_v1() {
  at::Tensor t;
  at::matmul(t, t);
  return &stitch_emulator_launch;
}
