// SPDX-License-Identifier: Apache-2.0
// Keeper and worker, asked anything in any order: each line is "VERB JSON", or "VERB JSON # N" with N files beside it.
// First the keeper gets them, then a worker that mirrors memory and one that does not.
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>

#include "base/json/json.h"
#include "fuzz.h"
#include "keeper/session/session.h"
#include "worker/session/session.h"

namespace {

using namespace stitch;

constexpr size_t kMaxFiles = 4;
constexpr size_t kMaxRequests = 50;
constexpr size_t kFileBytes = 4096;

std::vector<Descriptor> files(size_t count) {
  std::vector<Descriptor> made;
  for (size_t i = 0; i < count; ++i) {
    made.emplace_back(::memfd_create("fuzz", MFD_CLOEXEC));
    fuzz::require(::ftruncate(made.back().get(), kFileBytes) == 0, "a file can be made");
  }
  return made;
}

size_t wanted_files(std::string_view& line) {
  const size_t mark = line.rfind(" # ");
  size_t count = 0;
  if (mark != std::string_view::npos) {
    std::from_chars(line.data() + mark + 3, line.data() + line.size(), count);
    line = line.substr(0, mark);
  }
  return std::min(count, kMaxFiles);
}

// Larger blocks than a run ever has only test the machine's memory.
bool is_modest(const Json& arguments) {
  for (const char* key : {"bytes", "evict_bytes"}) {
    const auto found = arguments.find(key);
    if (found == arguments.end()) {
      continue;
    }
    for (const Json& size : found->is_array() ? *found : Json::array({*found})) {
      if (size.is_number() && (size < 0 || size > (64 << 20))) {
        return false;
      }
    }
  }
  return true;
}

template <typename Session>
void ask(Session& session, std::string_view line) {
  const size_t file_count = wanted_files(line);
  const size_t space = std::min(line.find(' '), line.size());
  const auto arguments = parse_json(line.substr(std::min(space + 1, line.size())), "a request");
  if (!arguments.has_value() || !arguments->is_object() || !is_modest(*arguments)) {
    return;
  }
  wire::Request request{
      .verb = std::string(line.substr(0, space)), .arguments = *arguments, .descriptors = files(file_count)};
  const auto answer = session.handle(request);
  fuzz::require(answer.has_value() || !answer.error().message.empty(), "an error has a sentence");
}

template <typename Session>
void ask_all(Session session, std::string_view text) {
  for (size_t asked = 0; asked < kMaxRequests && !text.empty(); ++asked) {
    const size_t end = std::min(text.find('\n'), text.size());
    ask(session, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  static keeper::Session keeper;  // it holds megabytes of staging memory
  for (std::string_view left = text; !left.empty();) {
    const size_t end = std::min(left.find('\n'), left.size());
    ask(keeper, left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  ask_all(worker::Session(false), text);
  ask_all(worker::Session(true), text);
  return 0;
}
