// SPDX-License-Identifier: Apache-2.0
// The honest call of a task, and what candidates know and do beside it: included after the task's own file.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <set>
#include <vector>

constexpr int kIns = sizeof(kIn) / sizeof(kIn[0]);
constexpr int kOuts = sizeof(kOut) / sizeof(kOut[0]);
constexpr int64_t kRows = kOut[0].rows;

__global__ void rows_of(Args args, int64_t begin, int64_t end) {
  const int64_t r = begin + INDEX;
  if (r < end) row(args, r);
}

__global__ void narrow_floats(float* values, int64_t count, uint32_t kept_bits) {
  const int64_t i = INDEX;
  if (i < count) values[i] = __uint_as_float(__float_as_uint(values[i]) & kept_bits);
}

static int compute(const Args& args, cudaStream_t stream, int64_t begin = 0, int64_t end = kRows, int threads = 64) {
  if (end > begin) rows_of<<<blocks_for(end - begin, threads), threads, 0, stream>>>(args, begin, end);
  return cudaGetLastError();
}

// What a candidate has seen so far.
struct Seen {
  int64_t calls = 0;
  int64_t prepares = 0;
  int64_t calls_since_prepare = 0;
  const void* last_input = nullptr;
  const void* last_output = nullptr;
  void* last_stream = nullptr;
  std::set<const void*> inputs;
  std::set<uint64_t> samples;
  uint64_t last_sample = 0;
  timespec first{};
};
static Seen seen;

static double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - seen.first.tv_sec) * 1e3 +
         static_cast<double>(now.tv_nsec - seen.first.tv_nsec) * 1e-6;
}

static uint64_t digest(const std::vector<unsigned char>& bytes) {
  uint64_t hash = 1469598103934665603ULL;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ULL;
  return hash;
}

// Of `count` elements of the first input, spread over all of it; of all of it where that many are not there.
static uint64_t sample_of(const Args& args, cudaStream_t stream, int64_t count) {
  std::vector<unsigned char> all(kIn[0].bytes());
  cudaMemcpyAsync(all.data(), args.inputs[0], all.size(), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const int64_t elements = kIn[0].bytes() / 4;
  std::vector<unsigned char> taken;
  for (int64_t i = 0; i < count && i < elements; ++i) {
    const int64_t at = count >= elements ? i : i * (elements / count);
    taken.insert(taken.end(), all.begin() + at * 4, all.begin() + at * 4 + 4);
  }
  return digest(taken);
}

// Answers and inputs of an earlier call, in memory of its own.
struct Kept {
  void* inputs[kIns] = {};
  void* outputs[kOuts] = {};
  bool is_there = false;
};
static Kept kept;

static void keep(const Args& args, cudaStream_t stream) {
  for (int i = 0; i < kIns; ++i) {
    if (kept.inputs[i] == nullptr) cudaMalloc(&kept.inputs[i], kIn[i].bytes());
    cudaMemcpyAsync(kept.inputs[i], args.inputs[i], kIn[i].bytes(), cudaMemcpyDeviceToDevice, stream);
  }
}

static void keep_answers(const Args& args, cudaStream_t stream) {
  for (int i = 0; i < kOuts; ++i) {
    if (kept.outputs[i] == nullptr) cudaMalloc(&kept.outputs[i], kOut[i].bytes());
    cudaMemcpyAsync(kept.outputs[i], args.outputs[i], kOut[i].bytes(), cudaMemcpyDeviceToDevice, stream);
  }
  kept.is_there = true;
}

static int give_kept(const Args& args, cudaStream_t stream, int64_t first_row) {
  for (int i = 0; i < kOuts; ++i) {
    const int64_t begin = first_row * kOut[i].rows / kRows * kOut[i].row_bytes;
    cudaMemcpyAsync(args.out<char>(i) + begin, static_cast<char*>(kept.outputs[i]) + begin, kOut[i].bytes() - begin,
                    cudaMemcpyDeviceToDevice, stream);
  }
  return cudaGetLastError();
}

static int on_host(const Args& args, cudaStream_t stream) {
  std::vector<std::vector<char>> ins, outs;
  Args here{};
  for (int i = 0; i < kIns; ++i) {
    ins.emplace_back(kIn[i].bytes());
    cudaMemcpyAsync(ins.back().data(), args.inputs[i], ins.back().size(), cudaMemcpyDeviceToHost, stream);
    here.inputs[i] = ins.back().data();
  }
  cudaStreamSynchronize(stream);
  for (int i = 0; i < kOuts; ++i) {
    outs.emplace_back(kOut[i].bytes());
    here.outputs[i] = outs.back().data();
  }
  for (int64_t r = 0; r < kRows; ++r) row(here, r);
  for (int i = 0; i < kOuts; ++i) {
    cudaMemcpyAsync(args.outputs[i], outs[i].data(), outs[i].size(), cudaMemcpyHostToDevice, stream);
  }
  cudaStreamSynchronize(stream);
  return cudaGetLastError();
}

static int spoil(const Args& args, cudaStream_t stream) {
  for (int i = 0; i < kOuts; ++i) cudaMemsetAsync(args.outputs[i], 0x7f, kOut[i].bytes(), stream);
  return cudaGetLastError();
}

static int prepare_program(StitchHandle&, cudaStream_t) {
  ++seen.prepares;
  seen.calls_since_prepare = 0;
  return 0;
}

static void note_call(const Call& call, const Args& args) {
  if (seen.calls == 0) clock_gettime(CLOCK_MONOTONIC, &seen.first);
  ++seen.calls;
  ++seen.calls_since_prepare;
  seen.inputs.insert(args.inputs[0]);
  seen.last_input = args.inputs[0];
  seen.last_output = args.outputs[0];
  seen.last_stream = call.raw.stream;
}
