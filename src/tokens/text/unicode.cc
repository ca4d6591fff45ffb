// SPDX-License-Identifier: Apache-2.0
#include "tokens/text/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include <cstdint>

namespace stitch::tokens {

Result<std::string> composed(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const nfc = icu::Normalizer2::getNFCInstance(status);
  if (U_FAILURE(status) || text.size() > INT32_MAX) {
    return failure(ErrorCode::kEnvironment, "a text could not be normalised: it is too long, or ICU lacks its tables",
                   "", "split the text");
  }
  const icu::StringPiece piece(text.data(), static_cast<int32_t>(text.size()));
  if (nfc->isNormalizedUTF8(piece, status) && U_SUCCESS(status)) {
    return std::string(text);
  }
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  nfc->normalizeUTF8(0, piece, sink, nullptr, status);
  if (U_FAILURE(status)) {
    return failure(ErrorCode::kEnvironment, std::string("a text could not be normalised: ") + u_errorName(status), "",
                   "free some memory, or split the text");
  }
  return out;
}

bool is_white_space(char32_t character) { return u_isUWhiteSpace(static_cast<UChar32>(character)) != 0; }

bool is_word_character(char32_t character) {
  const auto point = static_cast<UChar32>(character);
  const uint32_t marks_and_more = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_hasBinaryProperty(point, UCHAR_ALPHABETIC) != 0 || (U_GET_GC_MASK(point) & marks_and_more) != 0 ||
         u_hasBinaryProperty(point, UCHAR_JOIN_CONTROL) != 0;
}

bool is_numeric_character(char32_t character) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_N_MASK) != 0;
}

}  // namespace stitch::tokens
