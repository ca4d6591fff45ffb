// SPDX-License-Identifier: Apache-2.0
#include "knowledge/library/library.h"

#include "knowledge/library/folders.h"

namespace stitch::knowledge {

std::filesystem::path guides_folder(const Places& places) { return places.own / "guides"; }

Result<Sources> sources_of(const Places& places) {
  STITCH_ASSIGN(std::vector<std::filesystem::path> folders, read_folders(places.own));
  return Sources{
      .cards = places.cards, .headers = places.headers, .guides = guides_folder(places), .folders = std::move(folders)};
}

Result<Library> Library::open(const Places& places) {
  STITCH_ASSIGN(Sources sources, sources_of(places));
  STITCH_ASSIGN(Index index, Index::open(sources, places.index));
  return Library(std::move(sources), std::move(index));
}

Result<Library> Library::rebuild(const Places& places) {
  STITCH_ASSIGN(Sources sources, sources_of(places));
  STITCH_ASSIGN(Index index, Index::build(sources, places.index));
  return Library(std::move(sources), std::move(index));
}

Result<std::vector<Passage>> Library::search(const Query& query, int limit) {
  Result<std::vector<Passage>> found = knowledge::search(index_, query, limit);
  if (found.has_value() || found.error().code != ErrorCode::kFileInvalid) {
    return found;
  }
  STITCH_ASSIGN(index_, Index::build(sources_, index_.file()));
  return knowledge::search(index_, query, limit);
}

Result<Passage> Library::find(const std::string& id) {
  Result<Passage> found = find_passage(index_, id);
  if (found.has_value() || found.error().code != ErrorCode::kFileInvalid) {
    return found;
  }
  STITCH_ASSIGN(index_, Index::build(sources_, index_.file()));
  return find_passage(index_, id);
}

}  // namespace stitch::knowledge
