// SPDX-License-Identifier: Apache-2.0
#include "knowledge/words/synonyms.h"

#include <algorithm>
#include <array>

namespace stitch::knowledge {
namespace {

// A group a line. A word may stand in several.
constexpr auto kGroups = std::to_array<std::string_view>({
    "matmul gemm product linear bmm",
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
    "int64 64bit index",
    "indexing index indices",
    "horizontal batch independent",
    "reshape layout permute",
    "inference eval",
    "precision accuracy",
    "sm sms multiprocessor multiprocessors",
    "cta ctas threadblock block blocks",
    "multiply multiplied multiplication product matmul",
    "singleprecision fp32 float",
    "halfprecision fp16 half",
    "doubleprecision fp64 double",
    "topk largest smallest kth select",
    "counter atomic atomicadd atomics",
    "prefetch ahead pipeline stages buffering doublebuffer doublebuffering",
    "roofline floor limit peak bound",
    "wait waiting stall stalls",
    "idle empty starved",
    "timeline trace gaps",
    "weights parameters parameter weight",
    "kv keys keyvalue cache",
    "reproducible deterministic repeatable determinism nondeterminism",
    "garbage uninitialised stale",
    "thread lane",
    "cpu host",
    "gpu device",
    "step timestep time",
    "emulate emulation split",
    "lut table lookup",
    "stream streams concurrent",
    "tail edge ragged boundary remainder",
    "template instantiation constexpr",
    "linker link ld",
    "include header",
    "freeze hang deadlock timeout",
    "rope rotary embedding",
    "moe expert experts grouped",
});

// Whether `word` stands in a group, between its spaces.
bool has_word(std::string_view group, std::string_view word) {
  for (size_t at = group.find(word); at != std::string_view::npos; at = group.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || group[at - 1] == ' ') && (end == group.size() || group[end] == ' ')) {
      return true;
    }
  }
  return false;
}

std::string_view without_plural(std::string_view word) {
  return word.size() > 3 && word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
}

}  // namespace

std::vector<std::string> synonyms_of(std::string_view word) {
  std::vector<std::string> found;
  for (std::string_view group : kGroups) {
    if (word.empty() || !(has_word(group, word) || has_word(group, without_plural(word)))) {
      continue;
    }
    while (!group.empty()) {
      const std::string_view each = group.substr(0, group.find(' '));
      group.remove_prefix(std::min(each.size() + 1, group.size()));
      if (each != word && std::find(found.begin(), found.end(), each) == found.end()) {
        found.emplace_back(each);
      }
    }
  }
  return found;
}

}  // namespace stitch::knowledge
