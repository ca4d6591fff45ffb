// SPDX-License-Identifier: Apache-2.0
#include "bench/run/as_job.h"

#include "farm/job/known_options.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;
using farm::JobWord;

constexpr const char* kOut = "--out";

Result<void> add_input(const farm::Artefacts& artefacts, const std::string& option, const fs::path& from,
                       farm::Job& job) {
  const std::string folder = option.empty() ? "task" : option.substr(2);
  const std::string name = from.filename().string();
  const std::string place = folder + "/" + (farm::is_place(name) ? name : "given");
  STITCH_ASSIGN(const std::vector<farm::PlacedFile> files, artefacts.put_all(from, place));
  job.files.insert(job.files.end(), files.begin(), files.end());
  job.words.push_back({JobWord::Kind::kInput, option, place});
  return {};
}

// Its last name alone: who runs it chooses the folder.
std::string name_of_out(const fs::path& out) { return "out-" + out.filename().string(); }

fs::path out_of(const AskedVerb& asked) {
  for (size_t i = 0; i + 1 < asked.words.size(); ++i) {
    if (asked.words[i] == kOut) {
      return asked.words[i + 1];
    }
  }
  return {};
}

}  // namespace

Result<farm::Job> as_job(const farm::Artefacts& artefacts, const AskedVerb& asked) {
  farm::Job job;
  job.verb = asked.verb;
  for (size_t i = 0; i < asked.words.size(); ++i) {
    const std::string& word = asked.words[i];
    const bool has_value = i + 1 < asked.words.size();
    if (!word.starts_with("--")) {
      STITCH_TRY(add_input(artefacts, "", word, job));
    } else if (word == kOut && has_value) {
      job.words.push_back({JobWord::Kind::kOut, kOut, name_of_out(asked.words[++i])});
    } else if (farm::takes_input(word) && has_value) {
      STITCH_TRY(add_input(artefacts, word, asked.words[++i], job));
    } else if (farm::check_option(word).has_value() || !has_value) {
      STITCH_TRY(farm::check_option(word));
      job.words.push_back({JobWord::Kind::kOption, "", word});
    } else {
      const std::string whole = word + "=" + asked.words[++i];
      STITCH_TRY(farm::check_option(whole));
      job.words.push_back({JobWord::Kind::kOption, "", whole});
    }
  }
  return job;
}

Result<farm::ProcessOutcome> as_outcome(const farm::Artefacts& artefacts, const AskedVerb& asked,
                                        const farm::JobResult& result) {
  farm::ProcessOutcome outcome;
  outcome.exit = {.exit_code = result.exit_code, .signal = result.signal, .timed_out = result.timed_out};
  outcome.is_out_of_memory = result.is_out_of_memory;
  outcome.seconds = result.seconds;
  outcome.standard_error = result.last_words;
  STITCH_ASSIGN(outcome.standard_output, artefacts.get(result.answer));
  const fs::path out = out_of(asked);
  if (out.empty()) {
    return outcome;
  }
  // Below the folder that was named, whatever the worker says.
  const std::string prefix = name_of_out(out) + "/";
  std::vector<farm::PlacedFile> files;
  for (const farm::PlacedFile& file : result.files) {
    if (file.place.starts_with(prefix)) {
      files.push_back({file.place.substr(prefix.size()), file.digest});
    }
  }
  STITCH_TRY(artefacts.lay_out(files, out));
  return outcome;
}

}  // namespace stitch::bench
