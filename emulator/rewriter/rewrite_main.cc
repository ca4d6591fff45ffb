// SPDX-License-Identifier: Apache-2.0
// stitchcuda-rewrite IN.cu -o OUT.cc [-I FOLDER]... [--file-name NAME]
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "rewriter/rewrite.h"

namespace {

constexpr int kRefused = 1;
constexpr int kUsage = 2;
constexpr int kEnvironment = 4;

constexpr const char* kHelp =
    "stitchcuda-rewrite IN.cu -o OUT.cc [-I FOLDER]... [--file-name NAME]\n"
    "  Rewrites a CUDA source for g++ and the emulator's headers. With -I, includes found beside the source or in such "
    "a\n"
    "  folder are rewritten into the output; without, they stay as they are. Exit codes: 0 written, 1 refused (one "
    "sentence a line on standard error),\n"
    "  2 usage, 4 a file could not be read or written.\n";

struct Arguments {
  std::string output;
  stitch::rewriter::RewriteOptions options;
};

bool parse(int count, char** values, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    const bool has_value = i + 1 < count;
    if (word == "-o" && has_value) {
      arguments.output = values[++i];
    } else if (word == "-I" && has_value) {
      arguments.options.include_directories.emplace_back(values[++i]);
    } else if (word.rfind("-I", 0) == 0 && word.size() > 2) {
      arguments.options.include_directories.push_back(word.substr(2));
    } else if (word == "--file-name" && has_value) {
      arguments.options.file_name = values[++i];
    } else if (word[0] != '-' && arguments.options.path.empty()) {
      arguments.options.path = word;
    } else {
      return false;
    }
  }
  if (arguments.options.file_name.empty()) {
    arguments.options.file_name = arguments.options.path;
  }
  return !arguments.options.path.empty() && !arguments.output.empty();
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  if (!parse(count, values, arguments)) {
    std::cerr << kHelp;
    return kUsage;
  }
  std::ifstream input(arguments.options.path, std::ios::binary);
  std::ostringstream source;
  source << input.rdbuf();
  if (!input) {
    std::cerr << "stitchcuda-rewrite: " << arguments.options.path << " could not be read; check the path\n";
    return kEnvironment;
  }
  const stitch::rewriter::RewriteOutcome outcome = stitch::rewriter::rewrite(source.str(), arguments.options);
  for (const std::string& refusal : outcome.refusals) {
    std::cerr << refusal << "\n";
  }
  if (!outcome.refusals.empty()) {
    return kRefused;
  }
  std::ofstream output(arguments.output, std::ios::binary);
  output << outcome.text;
  output.close();
  if (!output) {
    std::cerr << "stitchcuda-rewrite: " << arguments.output << " could not be written; check the folder\n";
    return kEnvironment;
  }
  return 0;
}
