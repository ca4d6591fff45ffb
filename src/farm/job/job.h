// SPDX-License-Identifier: Apache-2.0
// A job (`stitchcuda.job/1`): one verb of stitchcuda, asked of a worker. It carries no path of anybody's machine, no
// key and no file's content: files are named by digest and lie in the shared folder of artefacts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::farm {

// Where a file lies in a job's own folder: "program.py", "steps/01_a.cu".
struct PlacedFile {
  std::string place;
  std::string digest;  // SHA-256
};

// One word of the verb's command line.
struct JobWord {
  enum class Kind {
    kOption,  // `text` is "--name" or "--name=value", of the table in known_options.h
    kInput,   // `text` is a place among the job's files, or a folder of them
    kOut,     // the folder that the verb may write and whose files come back
  };
  Kind kind = Kind::kOption;
  std::string option{};  // of kInput and kOut: "--program"; empty: it is the verb's argument
  std::string text{};
};

struct Job {
  std::string verb;  // one of known_options.h
  std::vector<JobWord> words;
  std::vector<PlacedFile> files;
  double seconds = 900;                       // after which it is ended
  uint64_t memory_bytes = uint64_t{8} << 30;  // of all its processes

  bool returns_files() const;
};

inline constexpr std::string_view kJobSchema = "stitchcuda.job/1";

// The text is the same for the same job: its digest is the job's name.
std::string to_text(const Job& job);
// kFileInvalid with a sentence for whatever is not wholly a job: other members, verbs, options, paths that leave the
// folder, digests that are none. Who reads it believes nothing of what the store says.
Result<Job> read_job(std::string_view text);

// Relative, of plain names, without "..": fit to be made below a folder.
bool is_place(std::string_view path);
bool is_digest(std::string_view text);

Json to_json(const std::vector<PlacedFile>& files);
Result<std::vector<PlacedFile>> read_files(const Json& json);

}  // namespace stitch::farm
