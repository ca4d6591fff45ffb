// SPDX-License-Identifier: Apache-2.0
// safetensors: what is written is read back, and malformed files are refused for the right reason.
#include "host/safetensors.h"

#include <cstdio>
#include <cstring>
#include <fstream>

#include "host/json_reader.h"
#include "stitch_program.h"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::printf("FAILED %s\n", what);
    ++failures;
  }
}

std::string file_of(std::uint64_t header_length, const std::string& header, std::size_t data_bytes) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &header_length, 8);
  return bytes + header + std::string(data_bytes, '\x01');
}

// Reads `bytes` as a file; returns the sentence.
std::string read(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  std::vector<stitch::SafeTensor> tensors;
  return stitch::read_safetensors(path, &tensors);
}

void check_round_trip(const std::string& path) {
  const std::vector<stitch::SafeTensor> written = {
      {"fc1.weight", STITCH_FLOAT32, {2, 3}, std::vector<unsigned char>(24, 7)},
      {"odd \"name\"\n", STITCH_INT64, {}, std::vector<unsigned char>(8, 9)},
      {"empty", STITCH_BOOL, {0, 5}, {}},
  };
  expect(stitch::write_safetensors(path, written).empty(), "write");
  std::vector<stitch::SafeTensor> got;
  expect(stitch::read_safetensors(path, &got).empty() && got.size() == written.size(), "read back");
  for (std::size_t index = 0; index < got.size(); ++index) {
    expect(got[index].name == written[index].name && got[index].dtype == written[index].dtype &&
               got[index].extents == written[index].extents && got[index].bytes == written[index].bytes,
           "tensor as written");
  }
}

void check_refused(const std::string& path, const char* word, const std::string& header, std::size_t data_bytes) {
  const std::string sentence = read(path, file_of(header.size(), header, data_bytes));
  expect(sentence.find(word) != std::string::npos, (std::string(word) + " <- " + sentence).c_str());
}

void check_malformed(const std::string& path) {
  check_refused(path, "outside the file", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4);
  check_refused(path, "outside the file", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8);
  check_refused(path, "does not fit its bytes", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8);
  check_refused(path, "does not fit its bytes",
                R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", 8);
  check_refused(path, "not supported", R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", 8);
  check_refused(
      path, "there twice",
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
      1);
  check_refused(path, "not the JSON", R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8);
  check_refused(path, "not the JSON", R"({"a":{"dtype":"F32","shape":[99999999999999999999]}})", 8);
  check_refused(path, "not the JSON", R"({"a":)", 8);
  check_refused(path, "not the JSON", "[1]", 8);
  check_refused(path, "not the JSON", std::string(100000, '{'), 0);
  expect(read(path, file_of(UINT64_MAX, "{}", 0)).find("longer than the file") != std::string::npos, "huge header");
  expect(read(path, "short").find("shorter") != std::string::npos, "short file");
  expect(read(path, file_of(2, "{}", 0)).empty(), "an empty file is fine");
  const std::string metadata =
      R"({"__metadata__":{"format":"pt","deep":[[{"x":[1,-2.5e3,true,null]}]]},)"
      R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  expect(read(path, file_of(metadata.size(), metadata, 1)).empty(), "metadata is skipped");
  const std::string deep = R"({"__metadata__":)" + std::string(5000, '[') + std::string(5000, ']') + "}";
  check_refused(path, "not the JSON", deep, 0);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string path = count > 1 ? arguments[1] : "safetensors_test.safetensors";
  check_round_trip(path);
  check_malformed(path);
  std::remove(path.c_str());
  std::printf(failures == 0 ? "passed\n" : "%d failed\n", failures);
  return failures == 0 ? 0 : 1;
}
