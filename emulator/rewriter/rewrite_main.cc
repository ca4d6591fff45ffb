// SPDX-License-Identifier: Apache-2.0
// stitchcuda-rewrite IN.cu -o OUT.cc [-I FOLDER]... [--file-name NAME], or [--for-reading] IN.cu... --into FOLDER
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/rewrite.h"

namespace {

constexpr int kRefused = 1;
constexpr int kUsage = 2;
constexpr int kEnvironment = 4;

constexpr const char* kHelp =
    "stitchcuda-rewrite IN.cu -o OUT.cc [-I FOLDER]... [--file-name NAME]\n"
    "stitchcuda-rewrite [--for-reading] IN.cu... --into FOLDER\n"
    "  Rewrites CUDA sources for g++ and the emulator's headers: one, or each into FOLDER under its own name. With\n"
    "  -I, includes found beside the source or in such a folder are rewritten into the output; without, they stay as\n"
    "  they are. --for-reading refuses nothing: such text is parsed and never run. Exit codes: 0 written, 1 refused\n"
    "  (one sentence a line on standard error), 2 usage, 4 a file could not be read or written.\n";

struct Arguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string into;
  std::string file_name;
  stitch::rewriter::RewriteOptions options;
};

bool parse(int count, char** values, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    const bool has_value = i + 1 < count;
    if (word == "-o" && has_value) {
      arguments.output = values[++i];
    } else if (word == "--into" && has_value) {
      arguments.into = values[++i];
    } else if (word == "--for-reading") {
      arguments.options.for_reading = true;
    } else if (word == "-I" && has_value) {
      arguments.options.include_directories.emplace_back(values[++i]);
    } else if (word.rfind("-I", 0) == 0 && word.size() > 2) {
      arguments.options.include_directories.push_back(word.substr(2));
    } else if (word == "--file-name" && has_value) {
      arguments.file_name = values[++i];
    } else if (word[0] != '-') {
      arguments.inputs.push_back(word);
    } else {
      return false;
    }
  }
  const bool one = arguments.inputs.size() == 1 && !arguments.output.empty() && arguments.into.empty();
  const bool several = !arguments.inputs.empty() && arguments.output.empty() && !arguments.into.empty() &&
                       arguments.file_name.empty();
  return one || several;
}

int rewrite_file(stitch::rewriter::RewriteOptions options, const std::string& output_path) {
  std::ifstream input(options.path, std::ios::binary);
  std::ostringstream source;
  source << input.rdbuf();
  if (!input) {
    std::cerr << "stitchcuda-rewrite: " << options.path << " could not be read; check the path\n";
    return kEnvironment;
  }
  const stitch::rewriter::RewriteOutcome outcome = stitch::rewriter::rewrite(source.str(), options);
  for (const std::string& refusal : outcome.refusals) {
    std::cerr << refusal << "\n";
  }
  if (!outcome.refusals.empty()) {
    return kRefused;
  }
  std::ofstream output(output_path, std::ios::binary);
  output << outcome.text;
  output.close();
  if (!output) {
    std::cerr << "stitchcuda-rewrite: " << output_path << " could not be written; check the folder\n";
    return kEnvironment;
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  if (!parse(count, values, arguments)) {
    std::cerr << kHelp;
    return kUsage;
  }
  int worst = 0;
  for (const std::string& input : arguments.inputs) {
    stitch::rewriter::RewriteOptions options = arguments.options;
    options.path = input;
    options.file_name = arguments.file_name.empty() ? input : arguments.file_name;
    std::filesystem::path output = arguments.output;
    if (!arguments.into.empty()) {
      output = std::filesystem::path(arguments.into) / input;
      std::error_code ignored;  // what cannot be made cannot be written to either
      std::filesystem::create_directories(output.parent_path(), ignored);
    }
    worst = std::max(worst, rewrite_file(std::move(options), output.string()));
  }
  return worst;
}
