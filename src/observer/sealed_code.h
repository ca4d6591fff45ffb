// SPDX-License-Identifier: Apache-2.0
// PyTorch's compute code taken out of reach while a candidate is judged: pages of its library that hold nothing but the
// libraries that it computes with (MKL, oneDNN) and the loops of its own kernels lose the right to be executed. Whoever
// has an address in them, by whatever way, cannot call it. What PyTorch may do for a candidate needs none of it.
#pragma once

// `torch` is the loader's handle of libtorch_cpu.so. Nothing is found in a library without a table of its symbols.
void find_code_to_seal(void* torch);
// From now on. Running sealed code is told, and ends the process.
void seal_code();
// Gives all of it back.
void unseal_code();
