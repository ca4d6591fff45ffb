// SPDX-License-Identifier: Apache-2.0
// What a program's handle keeps for the optional libraries that its steps use: one handle of each, and what was found
// out once for each shape. Steps fill a slot at their first call; destroy() empties it.
#pragma once

struct LibrarySlot {
  void* state;
  void (*destroy)(void* state);
};

struct StepLibraries {
  LibrarySlot cublaslt;
  LibrarySlot cudnn;
  LibrarySlot cudnn_rnn;
};
