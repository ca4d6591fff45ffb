// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "rewriter/passes.h"

namespace stitch::rewriter {
namespace {

struct Unsupported {
  std::string_view word;
  bool is_prefix;
  std::string_view message;
};

constexpr std::string_view kTextures =
    "textures and surfaces are not supported on the emulated device; read plain memory";
constexpr std::string_view kGrid =
    "grid-wide synchronisation is not supported on the emulated device, where blocks run one after another; split the "
    "kernel in two";
constexpr std::string_view kCluster =
    "thread-block clusters are not supported on the emulated device but by cudaLaunchKernelEx and the functions of "
    "runtime/ptx/cluster.cuh";
constexpr std::string_view kPtx =
    "inline PTX is not supported on the emulated device; use CUDA intrinsics, or the functions of runtime/ptx";

constexpr std::array<Unsupported, 18> kUnsupported = {{
    {"asm", false, kPtx},
    {"__asm__", false, kPtx},
    {"__asm", false, kPtx},
    {"cudaTextureObject_t", false, kTextures},
    {"cudaSurfaceObject_t", false, kTextures},
    {"tex1D", true, kTextures},
    {"tex2D", true, kTextures},
    {"tex3D", true, kTextures},
    {"surf1D", true, kTextures},
    {"surf2D", true, kTextures},
    {"surf3D", true, kTextures},
    {"this_grid", false, kGrid},
    {"grid_group", false, kGrid},
    {"this_multi_grid", false, kGrid},
    {"cudaLaunchCooperativeKernel", false, kGrid},
    {"this_cluster", false, kCluster},
    {"cluster_group", false, kCluster},
    {"__cluster_dims__", false, kCluster},
}};

const Unsupported* find_unsupported(std::string_view word) {
  for (const Unsupported& entry : kUnsupported) {
    if (word == entry.word || (entry.is_prefix && word.substr(0, entry.word.size()) == entry.word)) {
      return &entry;
    }
  }
  return nullptr;
}

// What emulator/include/cub has.
constexpr std::array<std::string_view, 6> kCubHeaders = {"cub/cub.cuh",
                                                         "cub/operators.cuh",
                                                         "cub/block/block_reduce.cuh",
                                                         "cub/block/block_scan.cuh",
                                                         "cub/warp/warp_reduce.cuh",
                                                         "cub/warp/warp_scan.cuh"};
constexpr std::array<std::string_view, 6> kCubClasses = {
    "BlockReduce", "BlockScan", "WarpReduce", "WarpScan", "BlockReduceAlgorithm", "BlockScanAlgorithm"};
constexpr std::string_view kCub =
    "of cub, only reductions and scans of blocks and warps are supported on the emulated device";
// Of CUDA's libraries it has cuBLASLt and cuDNN.
constexpr std::array<std::string_view, 13> kLibraryHeaders = {
    "cublas.h",   "cublas_v2.h",  "cublasXt.h",   "curand.h",   "curand_kernel.h", "cufft.h", "cufftXt.h",
    "cusparse.h", "cusolverDn.h", "cusolverSp.h", "cutensor.h", "nccl.h",          "nvrtc.h"};

template <size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_include(const TokenList& list, const Directive& directive) {
  return directive.last - directive.first >= 2 && list.tokens[directive.first].is("include");
}

// "cublas_v2.h" of `#include "cublas_v2.h"`; empty for anything else.
std::string quoted_name(const Token& token) {
  const bool is_quoted = token.kind == TokenKind::kString && token.text.size() > 2;
  return is_quoted ? std::string(token.text.substr(1, token.text.size() - 2)) : std::string();
}

// "cub/cub.cuh" of `#include <cub/cub.cuh>`; empty for any other directive.
std::string bracketed_name(const TokenList& list, const Directive& directive) {
  std::string name;
  const bool is_bracketed = list.tokens[directive.first + 1].is("<");
  for (size_t i = directive.first + 2; is_bracketed && i < directive.last && !list.tokens[i].is(">"); ++i) {
    name += list.tokens[i].text;
  }
  return name;
}

std::string library_refusal(const std::string& name) {
  return is_among(kLibraryHeaders, name) ? name + "'s library is not supported on the emulated device" : "";
}

// A folder of one of these names that is named in quotes may be the program's own.
std::string folder_refusal(const std::string& name) {
  const std::string folder = name.substr(0, std::min(name.find('/'), name.size()));
  const bool is_in_folder = folder.size() < name.size();
  const bool is_whole_folder = folder == "thrust" || folder == "cuda" || folder == "cutlass" || folder == "cute";
  if (is_in_folder && is_whole_folder && name != "cuda/functional") {
    return folder + "/ headers are not supported on the emulated device; write the loop as a kernel";
  }
  if (is_in_folder && folder == "cub" && !is_among(kCubHeaders, name)) {
    return std::string(kCub);
  }
  return "";
}

std::string include_refusal(const TokenList& list, const Directive& directive) {
  if (!is_include(list, directive)) {
    return "";
  }
  const std::string bracketed = bracketed_name(list, directive);
  const std::string refusal = folder_refusal(bracketed);
  return refusal.empty()
             ? library_refusal(bracketed.empty() ? quoted_name(list.tokens[directive.first + 1]) : bracketed)
             : refusal;
}

// cub::DeviceReduce and the like, which cub.cuh has on a GPU.
bool is_foreign_cub(const std::vector<Token>& tokens, size_t at) {
  const std::string_view name = tokens[at].text;
  const bool is_class = name.starts_with("Device") || name.starts_with("Block") || name.starts_with("Warp");
  return is_class && !is_among(kCubClasses, name) && at >= 2 && tokens[at - 1].is("::") && tokens[at - 2].is("cub");
}

}  // namespace

void refuse_unsupported(const TokenList& list, const std::vector<Place>& places, Changes& changes) {
  const auto& tokens = list.tokens;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kIdentifier || places[i].inactive) {
      continue;
    }
    const bool called = i + 1 < tokens.size() && (tokens[i + 1].is("(") || tokens[i + 1].is("<"));
    const Unsupported* entry = find_unsupported(tokens[i].text);
    if (entry != nullptr && (called || !entry->is_prefix)) {
      changes.refuse(tokens[i].line, std::string(entry->message));
    } else if (is_foreign_cub(tokens, i)) {
      changes.refuse(tokens[i].line, std::string(kCub));
    } else if (tokens[i].is("texture") && i + 1 < tokens.size() && tokens[i + 1].is("<")) {
      changes.refuse(tokens[i].line, std::string(kTextures));
    }
  }
  for (const Directive& directive : list.directives) {
    if (directive.first < directive.last && !places[directive.first].inactive) {
      const std::string refusal = include_refusal(list, directive);
      if (!refusal.empty()) {
        changes.refuse(directive.line, refusal);
      }
    }
  }
}

}  // namespace stitch::rewriter
