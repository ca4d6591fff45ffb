// SPDX-License-Identifier: Apache-2.0
#include "synth/make/after.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "artifact/task/task.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/json/json_line.h"
#include "base/process/descriptor.h"
#include "driver/requests/admit.h"
#include "synth/filters/eager_time.h"

namespace stitch::synth {
namespace {

namespace fs = std::filesystem;

// Lines by task, appended one by one. A line that was cut off is made again.
class Answers {
 public:
  static Result<Answers> open(const fs::path& path) {
    Answers answers;
    answers.file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!answers.file_.is_open()) {
      return failure(ErrorCode::kEnvironment, "a file of answers cannot be written", path.string(), "check its rights");
    }
    STITCH_ASSIGN(const std::string text, read_file(path));
    size_t whole = 0;
    for (size_t end = 0; (end = text.find('\n', whole)) != std::string::npos; whole = end + 1) {
      const Result<Json> line = parse_json(std::string_view(text).substr(whole, end - whole), path.string());
      if (!line.has_value() || !line->contains("digest") || !(*line)["digest"].is_string()) {
        break;
      }
      answers.lines_[(*line)["digest"].get<std::string>()] = line->dump();
    }
    if (::ftruncate(answers.file_.get(), static_cast<off_t>(whole)) != 0 ||
        ::lseek(answers.file_.get(), 0, SEEK_END) < 0) {
      return failure(ErrorCode::kEnvironment, "a file of answers cannot be written", path.string(), "make room");
    }
    return answers;
  }

  // The answer for a text of that digest.
  std::optional<Json> find(const std::string& digest) const {
    const auto found = lines_.find(digest);
    const Result<Json> json =
        found == lines_.end() ? Result<Json>(failure(ErrorCode::kInternal, "none")) : parse_json(found->second, "");
    return json.has_value() ? std::optional(*json) : std::nullopt;
  }

  Result<void> add(const std::string& digest, const Json& line) {
    const std::string text = json_line(line);
    lines_[digest] = text;
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    return written == static_cast<ssize_t>(text.size())
               ? Result<void>()
               : failure(ErrorCode::kEnvironment, "an answer cannot be written", "", "make room, and run it again");
  }

 private:
  Descriptor file_;
  std::map<std::string, std::string> lines_;
};

Result<void> measure_all(const SynthRequest& request, Lanes& lanes, SynthReport& report) {
  STITCH_ASSIGN(Answers answers, Answers::open(request.out / "measured.jsonl"));
  std::vector<Candidate> kept;
  for (Candidate& candidate : report.kept) {
    std::optional<Json> known = answers.find(candidate.digest);
    if (!known.has_value()) {
      STITCH_ASSIGN(const std::string source, read_file(request.out / candidate.file()));
      STITCH_TRY(lanes.run(1, [&](TaskProcess& process, size_t) -> Result<void> {
        const Result<TaskProcess::Measured> found = process.measure({source, candidate.name + ".py", {}}, 0);
        if (!found.has_value() && found.error().code == ErrorCode::kEnvironment) {
          return failure(found.error());
        }
        known = Json{{"digest", candidate.digest}, {"id", candidate.name}};
        (*known)["ms"] = found.has_value() ? Json(found->ms) : Json(nullptr);
        (*known)["device"] = found.has_value() ? found->device : "";
        (*known)["failed"] = found.has_value() ? "" : found.error().message;
        return {};
      }));
      STITCH_TRY(answers.add(candidate.digest, *known));
    }
    const bool is_number = known->contains("ms") && (*known)["ms"].is_number();
    const double ms = is_number ? (*known)["ms"].get<double>() : 0;
    if (ms >= kMinimumMs && ms <= kMaximumMs) {
      kept.push_back(std::move(candidate));
    } else {
      report.fallen["measured_time"] += 1;
    }
  }
  report.kept = std::move(kept);
  return {};
}

// "admitted", "weak" ...; "failed" where the question cannot be asked, with the reason.
Result<Json> admission_of_task(const SynthRequest& request, const driver::Services& services,
                               const Candidate& candidate) {
  driver::AdmitRequest asked;
  asked.task.file = (request.out / candidate.file()).string();
  asked.task.sizes.overrides = candidate.reduced;
  asked.task.math = request.math;
  asked.options = request.options;
  asked.options.scale = driver::ScaleChoice::kFull;  // its reduced sizes are known
  const Result<driver::AdmitReport> found = driver::admit(asked, services);
  if (!found.has_value() && found.error().code == ErrorCode::kEnvironment) {
    return failure(found.error());
  }
  Json line = {{"digest", candidate.digest}, {"id", candidate.name}};
  line["status"] = found.has_value() ? to_string(found->admission.report.status) : "failed";
  line["why"] = found.has_value() ? found->admission.report.message() : found.error().message;
  line["seconds"] = found.has_value() ? found->admission.report.seconds : 0;
  return line;
}

Result<void> admit_all(const SynthRequest& request, const driver::Services& services, SynthReport& report) {
  STITCH_ASSIGN(Answers answers, Answers::open(request.out / "admission.jsonl"));
  driver::Progress::Wait wait = services.progress.wait("admit", "tasks are tried with null candidates");
  std::vector<Candidate> kept;
  size_t done = 0;
  for (Candidate& candidate : report.kept) {
    std::optional<Json> known = answers.find(candidate.digest);
    if (!known.has_value()) {
      STITCH_ASSIGN(known, admission_of_task(request, services, candidate));
      STITCH_TRY(answers.add(candidate.digest, *known));
    }
    STITCH_ASSIGN(const std::string status, json_string(*known, "status"));
    report.admission[status] += 1;
    if (status == "admitted") {
      kept.push_back(std::move(candidate));
    } else {
      report.fallen["admit"] += 1;
    }
    wait.say(fmt::format("{} of {} tasks", ++done, report.kept.size()));
  }
  report.kept = std::move(kept);
  return {};
}

}  // namespace

Result<void> ask_after(const SynthRequest& request, const driver::Services& services, Lanes& lanes,
                       SynthReport& report) {
  if (request.measures) {
    STITCH_TRY(measure_all(request, lanes, report));
    report.is_measured = true;
  }
  if (request.admits) {
    STITCH_TRY(admit_all(request, services, report));
  }
  return {};
}

}  // namespace stitch::synth
