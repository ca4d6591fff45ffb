// SPDX-License-Identifier: Apache-2.0
#include "knowledge/fetch/guides.h"

#include <array>

namespace stitch::knowledge {
namespace {

constexpr std::array kGuides = std::to_array<Guide>(
    {{"programming", "CUDA C++ Programming Guide", "/cuda/cuda-c-programming-guide/index.html"},
     {"best-practices", "CUDA C++ Best Practices Guide", "/cuda/cuda-c-best-practices-guide/index.html"},
     {"ampere-tuning", "Ampere Tuning Guide", "/cuda/ampere-tuning-guide/index.html"},
     {"hopper-tuning", "Hopper Tuning Guide", "/cuda/hopper-tuning-guide/index.html"},
     {"blackwell-tuning", "Blackwell Tuning Guide", "/cuda/blackwell-tuning-guide/index.html"},
     {"ptx", "Parallel Thread Execution ISA", "/cuda/parallel-thread-execution/index.html"},
     {"cublas", "cuBLAS", "/cuda/cublas/index.html"},
     {"sanitizer", "Compute Sanitizer", "/compute-sanitizer/ComputeSanitizer/index.html"},
     {"profiling", "Nsight Compute Profiling Guide", "/nsight-compute/ProfilingGuide/index.html"}});

}  // namespace

std::span<const Guide> known_guides() { return kGuides; }

}  // namespace stitch::knowledge
