// SPDX-License-Identifier: Apache-2.0
#include "elf/facts/symbols.h"

#include <algorithm>
#include <map>
#include <set>

namespace stitch::elf {
namespace {

// Version indices below this mean "local" and "no version".
constexpr uint16_t kFirstVersion = 2;
constexpr uint16_t kVersionMask = 0x7fff;
constexpr uint64_t kMaxSymbols = uint64_t{1} << 20;

Result<std::vector<Elf64_Rela>> read_table(const Image& image, int64_t address_tag, int64_t size_tag) {
  const Elf64_Dyn* address = image.find(address_tag);
  const Elf64_Dyn* size = image.find(size_tag);
  if (address == nullptr || size == nullptr || size->d_un.d_val == 0) {
    return std::vector<Elf64_Rela>{};
  }
  STITCH_ASSIGN(const Bytes bytes, image.at(address->d_un.d_ptr));
  return read_objects<Elf64_Rela>(bytes, size->d_un.d_val / sizeof(Elf64_Rela), "its table of relocations");
}

// As many symbols as the hash table of GNU's form reaches.
Result<uint64_t> gnu_hash_count(const Image& image, uint64_t address) {
  STITCH_ASSIGN(const Bytes bytes, image.at(address));
  STITCH_ASSIGN(const auto head, read_objects<uint32_t>(bytes, 4, "its hash table"));
  const uint64_t buckets = head[0];
  const uint64_t first = head[1];
  const uint64_t start = 4 * sizeof(uint32_t) + uint64_t{head[2]} * sizeof(uint64_t);
  if (start > bytes.size()) {
    return refused("its hash table reaches beyond its segment");
  }
  STITCH_ASSIGN(const auto heads, read_objects<uint32_t>(bytes.subspan(start), buckets, "its hash table"));
  uint64_t last = 0;
  for (const uint32_t each : heads) {
    last = std::max<uint64_t>(last, each);
  }
  if (last < first) {
    return first;
  }
  const Bytes chains = bytes.subspan(start + buckets * sizeof(uint32_t));
  for (; last - first < chains.size() / sizeof(uint32_t); ++last) {
    uint32_t hash = 0;
    std::memcpy(&hash, chains.data() + (last - first) * sizeof(hash), sizeof(hash));
    if ((hash & 1U) != 0) {
      return last + 1;
    }
  }
  return refused("its hash table reaches beyond its segment");
}

// The table of symbols does not say how long it is: as far as the hash tables and the relocations reach.
Result<uint64_t> symbol_count(const Image& image, const std::vector<Elf64_Rela>& relocations) {
  uint64_t count = 0;
  for (const Elf64_Rela& relocation : relocations) {
    count = std::max<uint64_t>(count, ELF64_R_SYM(relocation.r_info) + 1);
  }
  if (const Elf64_Dyn* hash = image.find(DT_HASH)) {
    STITCH_ASSIGN(const Bytes bytes, image.at(hash->d_un.d_ptr));
    STITCH_ASSIGN(const auto head, read_objects<uint32_t>(bytes, 2, "its hash table"));
    count = std::max<uint64_t>(count, head[1]);
  }
  if (const Elf64_Dyn* hash = image.find(DT_GNU_HASH)) {
    STITCH_ASSIGN(const uint64_t reached, gnu_hash_count(image, hash->d_un.d_ptr));
    count = std::max(count, reached);
  }
  if (count > kMaxSymbols) {
    return refused("it has more symbols than any program of ours could want");
  }
  return count;
}

// Version index -> the library that it belongs to.
Result<std::map<uint16_t, std::string>> version_libraries(const Image& image) {
  std::map<uint16_t, std::string> libraries;
  const Elf64_Dyn* table = image.find(DT_VERNEED);
  const Elf64_Dyn* count = image.find(DT_VERNEEDNUM);
  if (table == nullptr || count == nullptr) {
    return libraries;
  }
  uint64_t address = table->d_un.d_ptr;
  for (uint64_t i = 0; i < std::min<uint64_t>(count->d_un.d_val, 256); ++i) {
    STITCH_ASSIGN(const Bytes bytes, image.at(address));
    STITCH_ASSIGN(const auto need, read_objects<Elf64_Verneed>(bytes, 1, "its list of versions"));
    STITCH_ASSIGN(const std::string library, image.string_at(need[0].vn_file));
    uint64_t version = address + need[0].vn_aux;
    for (uint16_t j = 0; j < need[0].vn_cnt; ++j) {
      STITCH_ASSIGN(const Bytes rest, image.at(version));
      STITCH_ASSIGN(const auto aux, read_objects<Elf64_Vernaux>(rest, 1, "its list of versions"));
      libraries[aux[0].vna_other & kVersionMask] = library;
      if (aux[0].vna_next == 0) {
        break;
      }
      version += aux[0].vna_next;
    }
    if (need[0].vn_next == 0) {
      break;
    }
    address += need[0].vn_next;
  }
  return libraries;
}

Result<std::vector<uint16_t>> symbol_versions(const Image& image, uint64_t count) {
  const Elf64_Dyn* table = image.find(DT_VERSYM);
  if (table == nullptr) {
    return std::vector<uint16_t>(count, 0);
  }
  STITCH_ASSIGN(const Bytes bytes, image.at(table->d_un.d_ptr));
  return read_objects<uint16_t>(bytes, count, "its list of versions");
}

bool is_exported(const Elf64_Sym& symbol) {
  const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

}  // namespace

Result<std::vector<Elf64_Rela>> read_relocations(const Image& image) {
  const Elf64_Dyn* plt_form = image.find(DT_PLTREL);
  if (image.find(DT_REL) != nullptr || (plt_form != nullptr && plt_form->d_un.d_val != DT_RELA)) {
    return refused("its relocations have a form that x86-64 does not use");
  }
  STITCH_ASSIGN(std::vector<Elf64_Rela> all, read_table(image, DT_RELA, DT_RELASZ));
  STITCH_ASSIGN(const auto lazy, read_table(image, DT_JMPREL, DT_PLTRELSZ));
  all.insert(all.end(), lazy.begin(), lazy.end());
  return all;
}

Result<void> read_symbols(const Image& image, const std::vector<Elf64_Rela>& relocations, LibraryFacts& facts) {
  for (const Elf64_Rela& relocation : relocations) {
    facts.indirect_functions += ELF64_R_TYPE(relocation.r_info) == R_X86_64_IRELATIVE ? 1 : 0;
  }
  const Elf64_Dyn* table = image.find(DT_SYMTAB);
  STITCH_ASSIGN(const uint64_t count, symbol_count(image, relocations));
  if (table == nullptr || count == 0) {
    return {};
  }
  STITCH_ASSIGN(const Bytes bytes, image.at(table->d_un.d_ptr));
  STITCH_ASSIGN(const auto symbols, read_objects<Elf64_Sym>(bytes, count, "its table of symbols"));
  STITCH_ASSIGN(const auto versions, symbol_versions(image, count));
  STITCH_ASSIGN(const auto libraries, version_libraries(image));
  for (uint64_t i = 1; i < count; ++i) {  // the first one is none
    const Elf64_Sym& symbol = symbols[i];
    STITCH_ASSIGN(std::string name, image.string_at(symbol.st_name));
    if (name.empty() || ELF64_ST_TYPE(symbol.st_info) == STT_SECTION) {
      continue;
    }
    if (symbol.st_shndx == SHN_UNDEF) {
      const uint16_t version = versions[i] & kVersionMask;
      const auto library = version < kFirstVersion ? libraries.end() : libraries.find(version);
      facts.imports.push_back({std::move(name), library == libraries.end() ? std::string() : library->second});
      continue;
    }
    facts.indirect_functions += ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC ? 1 : 0;
    if (is_exported(symbol)) {
      facts.exports.push_back(std::move(name));
    }
  }
  std::sort(facts.exports.begin(), facts.exports.end());
  std::sort(facts.imports.begin(), facts.imports.end(),
            [](const Import& a, const Import& b) { return a.name < b.name; });
  return {};
}

}  // namespace stitch::elf
