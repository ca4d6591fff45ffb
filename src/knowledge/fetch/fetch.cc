// SPDX-License-Identifier: Apache-2.0
#include "knowledge/fetch/fetch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "knowledge/source/sections.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "stitchcuda-fetch";
constexpr size_t kMinPageBytes = 200;  // less is no guide and no licence

// Downloaded beside its place, looked at, and put there: half a page never lies among the guides.
Result<std::string> page_at(const std::string& url, const fs::path& folder, const Download& download) {
  STITCH_ASSIGN(const TemporaryDirectory temporary, TemporaryDirectory::make(kPrefix, folder));
  const fs::path file = temporary.path() / "page.html";
  STITCH_TRY(download(url, file));
  STITCH_ASSIGN(std::string page, read_file(file));
  if (html_to_markdown(clean_utf8(page)).size() < kMinPageBytes) {
    return failure(ErrorCode::kFileInvalid, "the server sent a page without text", url,
                   "try again later, or name another server by --from");
  }
  return page;
}

std::vector<Guide> chosen_guides(const FetchRequest& request) {
  std::vector<Guide> chosen;
  for (const Guide& guide : known_guides()) {
    if (request.guides.empty() ||
        std::find(request.guides.begin(), request.guides.end(), guide.name) != request.guides.end()) {
      chosen.push_back(guide);
    }
  }
  return chosen;
}

}  // namespace

Result<std::string> fetch_licence(const FetchRequest& request, const Download& download) {
  STITCH_TRY(make_directories(request.folder));
  remove_leftovers(request.folder, kPrefix);
  STITCH_ASSIGN(const std::string page, page_at(request.server + kLicencePath, request.folder, download));
  return html_to_markdown(clean_utf8(page));
}

Result<std::vector<FetchedGuide>> fetch_guides(const FetchRequest& request, const std::string& licence,
                                               const Download& download) {
  STITCH_TRY(make_directories(request.folder));
  STITCH_TRY(write_file(request.folder / "LICENCE.accepted", licence));
  std::vector<FetchedGuide> fetched;
  for (const Guide& guide : chosen_guides(request)) {
    FetchedGuide one{.name = guide.name, .url = request.server + guide.path};
    one.file = request.folder / fmt::format("{}.html", guide.name);
    STITCH_ASSIGN(const std::string page, page_at(one.url, request.folder, download));
    STITCH_TRY(write_file(one.file, page));
    one.bytes = page.size();
    fetched.push_back(std::move(one));
  }
  return fetched;
}

}  // namespace stitch::knowledge
