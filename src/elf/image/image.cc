// SPDX-License-Identifier: Apache-2.0
#include "elf/image/image.h"

#include <algorithm>

namespace stitch::elf {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxAddress = uint64_t{1} << 47;  // of a process

bool is_loaded(const Elf64_Phdr& segment) { return segment.p_type == PT_LOAD; }

Result<Bytes> from(Bytes bytes, uint64_t offset, const char* what) {
  if (offset > bytes.size()) {
    return refused(std::string(what) + " reaches beyond the end of the file");
  }
  return bytes.subspan(offset);
}

}  // namespace

Unexpected refused(std::string message) {
  return failure(ErrorCode::kFileInvalid, "the library cannot be loaded: " + std::move(message));
}

Result<Image> Image::parse(Bytes bytes) {
  Image image;
  image.bytes_ = bytes;
  STITCH_ASSIGN(const auto headers, read_objects<Elf64_Ehdr>(bytes, 1, "its header"));
  image.header_ = headers.front();
  const Elf64_Ehdr& header = image.header_;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return refused("it is no ELF file");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_X86_64) {
    return refused("it is not for x86-64");
  }
  if (header.e_type != ET_DYN) {
    return refused("it is an object or a program, not a shared library");
  }
  STITCH_TRY(image.read_segments());
  STITCH_TRY(image.check_segments());
  STITCH_TRY(image.read_dynamic());
  STITCH_TRY(image.read_strings());
  return image;
}

Result<void> Image::read_segments() {
  if (header_.e_phnum == 0 || header_.e_phnum == PN_XNUM || header_.e_phentsize != sizeof(Elf64_Phdr)) {
    return refused("it has no segments of a form that we know");
  }
  STITCH_ASSIGN(const Bytes table, from(bytes_, header_.e_phoff, "its table of segments"));
  STITCH_ASSIGN(segments_, read_objects<Elf64_Phdr>(table, header_.e_phnum, "its table of segments"));
  return {};
}

// What one address means must not depend on who looks: segments lie apart and in order, as the standard demands, and no
// two in one page, since the loader maps whole pages, the later segment's over the earlier one's.
Result<void> Image::check_segments() const {
  uint64_t end = 0;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_offset > bytes_.size() || segment.p_filesz > bytes_.size() - segment.p_offset) {
      return refused("a segment reaches beyond the end of the file");
    }
    if (!is_loaded(segment)) {
      continue;
    }
    if (segment.p_filesz > segment.p_memsz || segment.p_vaddr > kMaxAddress ||
        segment.p_memsz > kMaxAddress - segment.p_vaddr) {
      return refused("a segment has an impossible size");
    }
    if (segment.p_vaddr / kPage * kPage < end) {
      return refused("its segments overlap or are out of order");
    }
    end = (segment.p_vaddr + segment.p_memsz + kPage - 1) / kPage * kPage;
  }
  return {};
}

const Elf64_Phdr* Image::dynamic_segment() const {
  const auto found =  // the loader keeps the last one
      std::find_if(segments_.rbegin(), segments_.rend(), [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; });
  return found == segments_.rend() ? nullptr : &*found;
}

Result<void> Image::read_dynamic() {
  const Elf64_Phdr* segment = dynamic_segment();
  if (segment == nullptr) {
    return refused("it has no dynamic table");
  }
  STITCH_ASSIGN(const Bytes loaded, at(segment->p_vaddr));  // what the loader reads, whatever p_offset says
  const uint64_t most = std::min<uint64_t>(loaded.size(), segment->p_memsz) / sizeof(Elf64_Dyn);
  STITCH_ASSIGN(const auto entries, read_objects<Elf64_Dyn>(loaded, most, "its dynamic table"));
  const auto end = std::find_if(entries.begin(), entries.end(), [](const Elf64_Dyn& e) { return e.d_tag == DT_NULL; });
  if (end == entries.end()) {
    return refused("its dynamic table has no end");
  }
  dynamic_.assign(entries.begin(), end);
  return {};
}

Result<void> Image::read_strings() {
  const Elf64_Dyn* table = find(DT_STRTAB);
  const Elf64_Dyn* size = find(DT_STRSZ);
  if (table == nullptr || size == nullptr) {
    return refused("it has no table of names");
  }
  STITCH_ASSIGN(const Bytes bytes, at(table->d_un.d_ptr));
  if (size->d_un.d_val > bytes.size()) {
    return refused("its table of names reaches beyond its segment");
  }
  strings_ = {reinterpret_cast<const char*>(bytes.data()), size->d_un.d_val};
  return {};
}

const Elf64_Dyn* Image::find(int64_t tag) const {
  // The loader keeps the last entry of a tag.
  const auto found =
      std::find_if(dynamic_.rbegin(), dynamic_.rend(), [&](const Elf64_Dyn& e) { return e.d_tag == tag; });
  return found == dynamic_.rend() ? nullptr : &*found;
}

const Elf64_Phdr* Image::segment_of(uint64_t address) const {
  const auto found = std::find_if(segments_.begin(), segments_.end(), [&](const Elf64_Phdr& segment) {
    return is_loaded(segment) && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz;
  });
  return found == segments_.end() ? nullptr : &*found;
}

Result<Bytes> Image::at(uint64_t address) const {
  const Elf64_Phdr* segment = segment_of(address);
  if (segment == nullptr || address - segment->p_vaddr > segment->p_filesz) {
    return refused("one of its tables lies outside its segments");
  }
  const uint64_t within = address - segment->p_vaddr;
  return bytes_.subspan(segment->p_offset + within, segment->p_filesz - within);
}

Result<std::string> Image::string_at(uint64_t offset) const {
  const size_t end = offset < strings_.size() ? strings_.find('\0', offset) : std::string_view::npos;
  if (end == std::string_view::npos) {
    return refused("a name lies outside its table of names");
  }
  return std::string(strings_.substr(offset, end - offset));
}

}  // namespace stitch::elf
