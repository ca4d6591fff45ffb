// SPDX-License-Identifier: Apache-2.0
#include "service/request/extraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text/fences.h"
#include "base/text/printable.h"
#include "farm/job/job.h"

namespace stitch::service {
namespace {

constexpr const char* kPythonFile = "model_new.py";
constexpr const char* kCudaFile = "program.cu";
constexpr size_t kMaxCandidateFiles = 64;

bool is_python(const std::string& language) {
  return language == "python" || language == "py" || language == "python3" || language.ends_with(".py");
}

std::string_view without_thoughts(std::string_view text) {
  constexpr std::string_view kBegin = "<think>";
  constexpr std::string_view kEnd = "</think>";
  const size_t end = text.rfind(kEnd);
  if (end != text.npos) {
    text.remove_prefix(end + kEnd.size());
  }
  return text.substr(0, text.find(kBegin));
}

std::string_view without_control_tokens(std::string_view text) {
  constexpr std::array<std::string_view, 9> kTokens = {"<|im_end|>",      "<|im_start|>", "<|endoftext|>",
                                                       "<|end_of_text|>", "<|eot_id|>",   "<|end|>",
                                                       "<end_of_turn>",   "</s>",         "<｜end▁of▁sentence｜>"};
  size_t end = text.size();
  for (const std::string_view token : kTokens) {
    end = std::min(end, text.find(token));
  }
  return text.substr(0, end);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

bool has_suffix(const std::string& path) {
  constexpr std::array<std::string_view, 8> kSuffixes = {".cu", ".cuh", ".h", ".hpp", ".inl", ".inc", ".py", ".txt"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](std::string_view suffix) { return path.ends_with(suffix); });
}

}  // namespace

Extraction extract_completion(const std::string& text, const std::string& language) {
  const std::string_view said = without_control_tokens(without_thoughts(text));
  const auto is_wanted = [&](const std::string& named) {
    const bool may_be_python = is_python(named) || named.empty();
    return (language != "cuda" && may_be_python) || (language != "python" && is_language_of_cuda(named));
  };
  const Fences fences = fences_in(said, is_wanted);
  if (fences.is_cut) {
    return NoCandidate{"the answer ends within its code: it was cut"};
  }
  if (!fences.last.has_value()) {
    return NoCandidate{"the answer holds no fence of code"};
  }
  const FencedCode& code = *fences.last;
  const bool is_module = code.language.empty() && language.empty()
                             ? code.text.find("class ModelNew") != std::string::npos
                             : is_python(code.language) || (code.language.empty() && language == "python");
  return is_blank(code.text) ? Extraction(NoCandidate{"the answer's code is empty"})
                             : extract_files({{is_module ? kPythonFile : kCudaFile, code.text}});
}

Extraction extract_files(std::vector<CandidateFile> files) {
  size_t bytes = 0;
  std::set<std::string> paths;
  for (const CandidateFile& file : files) {
    bytes += file.content.size();
    if (!farm::is_place(file.path) || !has_suffix(file.path) || !paths.insert(file.path).second) {
      return NoCandidate{
          fmt::format("'{}' is no file that a candidate may have, or comes twice", printable_line(file.path, 100))};
    }
    if (file.content.find('\0') != std::string::npos) {
      return NoCandidate{file.path + " holds bytes of no text"};
    }
  }
  if (bytes > kMaxCandidateBytes || files.size() > kMaxCandidateFiles) {
    return NoCandidate{
        fmt::format("a candidate may have {} files and {} bytes", kMaxCandidateFiles, kMaxCandidateBytes)};
  }
  if (files.size() == 1 && files[0].path.ends_with(".py")) {
    files[0].path = kPythonFile;
  }
  const bool is_candidate = std::any_of(files.begin(), files.end(), [](const CandidateFile& file) {
    return file.path == kPythonFile || (file.path.ends_with(".cu") && file.path.find('/') == std::string::npos);
  });
  std::sort(files.begin(), files.end(), [](const CandidateFile& a, const CandidateFile& b) { return a.path < b.path; });
  return is_candidate ? Extraction(ExtractedCandidate{std::move(files)})
                      : Extraction(NoCandidate{"there is neither model_new.py nor a *.cu among the files"});
}

}  // namespace stitch::service
