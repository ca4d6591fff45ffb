// SPDX-License-Identifier: Apache-2.0
#include "rubric/judge/neutral_text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <set>
#include <sstream>

#include "rubric/source/tokens.h"

namespace stitch::rubric {
namespace {

constexpr size_t kMaxCharacters = 60'000;

// Names that C++, CUDA and its libraries give.
constexpr const char* kGivenNames =
    "alignas alignof auto bool break case catch char class const constexpr continue decltype default delete do "
    "double else enum explicit extern false float for friend if inline int long mutable namespace new noexcept "
    "nullptr operator private protected public reinterpret_cast static_cast const_cast return short signed "
    "sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void "
    "volatile while size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t threadIdx blockIdx "
    "blockDim gridDim warpSize x y z w dim3 float2 float3 float4 int2 int4 uint2 uint4 double2 half half2 nvcuda "
    "wmma fragment mma_sync load_matrix_sync store_matrix_sync std memcpy memset memcmp expf exp logf log sqrtf "
    "rsqrtf tanhf erff erf fmaf fmaxf fminf powf fabsf sinf cosf min max ";

const std::set<std::string>& given_names() {
  static const std::set<std::string> names = [] {
    std::istringstream stream(kGivenNames);
    return std::set<std::string>(std::istream_iterator<std::string>(stream), {});
  }();
  return names;
}

bool is_given(const std::string& word) {
  static constexpr std::array kPrefixes = {"__",    "cuda",   "cublas", "CUBLAS", "cudnn",
                                           "CUDNN", "STITCH", "Stitch", "atomic", "CUDA_"};
  if (given_names().contains(word)) {
    return true;
  }
  for (const char* prefix : kPrefixes) {
    if (word.starts_with(prefix) && word.size() < 48) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string neutral_text(const std::map<std::string, std::string>& files) {
  std::map<std::string, std::string> renamed;
  std::set<std::string> defined;
  for (const auto& [name, text] : files) {
    defined.merge(defined_names(tokens_of(text)));
  }
  std::string all;
  int number = 0;
  for (const auto& [file, text] : files) {
    all += fmt::format("// file {}\n", ++number);
    int line = 0;
    for (const Token& token : without_left_out(tokens_of(text), defined)) {
      if (token.line != line) {
        all += '\n';
        line = token.line;
      }
      if (token.kind == Token::Kind::kText) {
        all += "\"\"";
      } else if (token.kind == Token::Kind::kDirective) {
        continue;  // a macro's text may be prose
      } else if (token.kind == Token::Kind::kWord && !is_given(token.text)) {
        const auto [found, is_new] = renamed.emplace(token.text, "");
        if (is_new) {
          found->second = fmt::format("n{}", renamed.size());
        }
        all += found->second + " ";
      } else {
        all += token.text;
        all += token.kind == Token::Kind::kSymbol ? "" : " ";
      }
      if (all.size() > kMaxCharacters) {
        return all + "\n// cut here: the text is longer\n";
      }
    }
  }
  return all;
}

}  // namespace stitch::rubric
