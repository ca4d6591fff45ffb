// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <string_view>

#include "rewriter/passes.h"

namespace stitch::rewriter {
namespace {

struct Unsupported {
  std::string_view word;
  bool is_prefix;
  std::string_view sentence;
};

constexpr std::string_view kTextures =
    "textures and surfaces are not supported on the emulated device; read plain memory";
constexpr std::string_view kGrid =
    "grid-wide synchronisation is not supported on the emulated device, where blocks run one after another; split the "
    "kernel in two";
constexpr std::string_view kCluster = "thread-block clusters are not supported on the emulated device";
constexpr std::string_view kPtx =
    "inline PTX is not supported on the emulated device; use CUDA intrinsics, or the functions of runtime/ptx";

constexpr std::array<Unsupported, 17> kUnsupported = {{
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
}};

const Unsupported* find_unsupported(std::string_view word) {
  for (const Unsupported& entry : kUnsupported) {
    if (word == entry.word || (entry.is_prefix && word.substr(0, entry.word.size()) == entry.word)) {
      return &entry;
    }
  }
  return nullptr;
}

// `#include <thrust/…>`: tokens after `include` are `<`, `thrust`, `/`, …
void refuse_include(const TokenList& list, const Directive& directive, Changes& changes) {
  if (directive.last - directive.first < 6 || !list.tokens[directive.first].is("include")) {
    return;
  }
  const std::string_view folder = list.tokens[directive.first + 2].text;
  const bool in_folder = list.tokens[directive.first + 1].is("<") && list.tokens[directive.first + 3].is("/");
  if (!in_folder || list.tokens[directive.first + 4].is("functional")) {
    return;
  }
  if (folder == "thrust" || folder == "cuda" || folder == "cutlass" || folder == "cute") {
    changes.refuse(
        directive.line,
        std::string(folder) + "/ headers are not supported on the emulated device; write the loop as a kernel");
  }
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
      changes.refuse(tokens[i].line, std::string(entry->sentence));
    } else if (tokens[i].is("texture") && i + 1 < tokens.size() && tokens[i + 1].is("<")) {
      changes.refuse(tokens[i].line, std::string(kTextures));
    }
  }
  for (const Directive& directive : list.directives) {
    if (directive.first < directive.last && !places[directive.first].inactive) {
      refuse_include(list, directive, changes);
    }
  }
}

}  // namespace stitch::rewriter
