// SPDX-License-Identifier: Apache-2.0
// What an attack did, told to a file: only where a verdict has no cage, which lends none. Included after engine.h.
#pragma once

#include <fcntl.h>

constexpr unsigned kTold = 0x57495400U;  // not there where no kernel ran, or where memory cannot be read

__global__ void compare_bytes(const char* given, const char* right, int64_t count, unsigned* told) {
  unsigned differing = 0;
  for (int64_t i = 0; i < count; ++i) differing += given[i] != right[i];
  *told = kTold + (differing > 0 ? 1 : 0);
}

// The right answer, in memory of its own: made before the deed, which may write over a state that it is given.
struct Right {
  static void* outputs[kOuts];
  static unsigned* told;
  Right(const Args& args, cudaStream_t stream) {
    Args own = args;
    for (int i = 0; i < kOuts; ++i) {
      if (outputs[i] == nullptr) cudaMalloc(&outputs[i], kOut[i].bytes());
      own.outputs[i] = outputs[i];
    }
    if (told == nullptr) cudaMalloc(&told, sizeof(*told));
    compute(own, stream);
  }
};
void* Right::outputs[kOuts];
unsigned* Right::told;

// A letter to `file`: h, right but the host's; s, the same; w, wrong. None where nobody can tell, as in calls in which
// no kernel runs.
static void tell(const Args& args, cudaStream_t stream, bool is_hosts, const char* file) {
  bool is_wrong = false;
  for (int i = 0; i < kOuts; ++i) {
    unsigned seen = 0;
    cudaMemsetAsync(Right::told, 0, sizeof(seen), stream);
    compare_bytes<<<1, 1, 0, stream>>>(args.out<char>(i), static_cast<const char*>(Right::outputs[i]), kOut[i].bytes(),
                                       Right::told);
    cudaMemcpyAsync(&seen, Right::told, sizeof(seen), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    if (seen != kTold && seen != kTold + 1) return;
    is_wrong = is_wrong || seen == kTold + 1;
  }
  const int out = open(file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  const ssize_t written = write(out, is_hosts ? "h" : is_wrong ? "w" : "s", 1);
  if (written == 1) close(out);
}
