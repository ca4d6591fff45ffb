// SPDX-License-Identifier: Apache-2.0
#include "llm/download/download.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::llm {
namespace {

TEST(Download, TravelsThereAndBack) {
  const Download sent{.url = "https://example.org/a/index.html", .file = "/tmp/page.html", .max_bytes = 7};
  const Download read = download_from_json(to_json(sent)).value();
  EXPECT_EQ(read.url, sent.url);
  EXPECT_EQ(read.file, sent.file);
  EXPECT_EQ(read.max_bytes, 7);
}

TEST(Download, IsRefusedWithoutAPlainAddressOrAWholePath) {
  for (const char* url : {"file:///etc/passwd", "https://name:secret@example.org/", "ftp://example.org/", "https://"}) {
    EXPECT_FALSE(download_from_json(to_json(Download{.url = url, .file = "/tmp/page.html"})).has_value()) << url;
  }
  EXPECT_FALSE(download_from_json(to_json(Download{.url = "https://example.org/", .file = "page.html"})).has_value());
  EXPECT_FALSE(download_from_json(to_json(Download{.url = "https://example.org/", .file = "/tmp/p", .max_bytes = 0}))
                   .has_value());
}

}  // namespace
}  // namespace stitch::llm
