// SPDX-License-Identifier: Apache-2.0
#include "knowledge/words/synonyms.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace stitch::knowledge {
namespace {

// A group a line. A word may stand in several.
constexpr auto kGroups = std::to_array<const char*>({
    "matmul gemm product linear mm bmm addmm dense contraction",
    "conv convolution conv2d conv3d conv1d",
    "deconvolution transposed convtranspose",
    "attention sdpa flash mha",
    "softmax logsoftmax logsumexp",
    "layernorm layernormalization rmsnorm norm normalization",
    "batchnorm norm normalization",
    "groupnorm instancenorm norm normalization",
    "rnn lstm gru recurrent",
    "scan cumsum prefix cumulative cumprod",
    "reduction reduce sum",
    "argmax argmin",
    "pool pooling maxpool avgpool",
    "embedding gather lookup indexselect",
    "scatter indexadd histogram",
    "elementwise pointwise activation map",
    "fp16 half f16 float16",
    "bf16 bfloat16",
    "fp32 f32 float float32 single",
    "fp64 f64 double float64",
    "fp8 f8 e4m3 e5m2",
    "smem shared sharedmemory",
    "gmem global dram hbm vram",
    "coalesced coalescing uncoalesced",
    "conflict conflicts bankconflict",
    "spill spilling localmemory",
    "regs register registers",
    "occupancy residency warps",
    "tensorcore tensorcores mma wmma wgmma hmma",
    "wgmma warpgroup gmma",
    "tma cpasyncbulk tensormap bulk",
    "hopper sm90 sm90a h100 h200",
    "ampere sm80 sm86 a100",
    "blackwell sm100 sm100a sm120 b200",
    "ada sm89 l40",
    "pinned pagelocked cudahostalloc cudamallochost",
    "copy memcpy transfer",
    "h2d htod hosttodevice upload",
    "d2h dtoh devicetohost download",
    "alloc malloc cudamalloc allocation allocations",
    "sync synchronize synchronization barrier",
    "deadlock hang hangs stuck freeze",
    "graph cudagraph graphs capture",
    "overhead launch launches",
    "latency stall stalls",
    "bandwidth throughput",
    "vectorized vectorised float4 vector",
    "fuse fused fusion",
    "crash segfault",
    "oob outofbounds overrun overflow",
    "oom outofmemory memoryallocation",
    "uninitialized uninitialised initcheck",
    "misaligned alignment aligned misalignment",
    "race racecheck hazard datarace",
    "nan nans inf infinity",
    "subnormal denormal ftz",
    "tolerance error accuracy mismatch wrong",
    "slow slower",
    "speed fast faster speedup",
    "transpose permute nhwc nchw layout channelslast",
    "divergence divergent branch",
    "unroll unrolling ilp",
    "transcendental exp sfu",
    "persistent streamk",
    "splitk slicek",
    "profiler ncu nsight nsys",
    "undefined unresolved",
    "quantized int8 quantization",
    "dropout random rng philox",
    "mask masked causal padding",
    "cluster dsmem",
    "l2 cache",
});

}  // namespace

std::vector<std::string> synonyms_of(std::string_view word) {
  std::vector<std::string> found;
  for (const char* group : kGroups) {
    std::istringstream words(group);
    std::vector<std::string> all;
    for (std::string each; words >> each;) {
      all.push_back(each);
    }
    if (std::find(all.begin(), all.end(), word) != all.end()) {
      std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const std::string& each) {
        return each != word && std::find(found.begin(), found.end(), each) == found.end();
      });
    }
  }
  return found;
}

}  // namespace stitch::knowledge
