// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/ledger_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace stitch::evaluate {
namespace {

constexpr const char* kForged = "the candidate wrote into the pipe that tells what it does";

class Ledger : public testing::Test {
 protected:
  void SetUp() override {
    auto pipe = LedgerPipe::make();
    ASSERT_TRUE(pipe.has_value());
    write_end = std::move(pipe->write_end);
    reader.emplace(std::move(pipe->read_end), seen, std::vector<std::string>{"mine.so"});
  }
  void write(const std::string& text) const {
    ASSERT_EQ(::write(write_end.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  std::shared_ptr<CandidateLedger> seen = std::make_shared<CandidateLedger>();
  Descriptor write_end;
  std::optional<LedgerReader> reader;
};

TEST_F(Ledger, OperatorsAndEventsAreTold) {
  EXPECT_EQ(reader->read(), std::nullopt);
  write("own\tmine::relu\t\nlibrary\tmine.so\t\nlibrary\tmine.so\t\n");
  EXPECT_EQ(reader->read(), std::nullopt);
  EXPECT_EQ(seen->libraries, std::vector<std::string>{"mine.so"});
  write("operator\taten::mm\tmodel_new.py:12\n");
  EXPECT_EQ(reader->read(), "PyTorch computes in place of the candidate: aten::mm at model_new.py:12");
  write("event\timported numpy\tmodel_new.py:3\n");
  EXPECT_EQ(reader->read(), "the candidate imported numpy at model_new.py:3");
}

TEST_F(Ledger, TrialsAreCounted) {
  write("trial\t\t\n");
  EXPECT_EQ(reader->read(), std::nullopt);
  EXPECT_EQ(reader->trials(), 1);
}

TEST_F(Ledger, ALineThatNoObserverWritesIsForged) {
  write("praise\taten::mm\t\n");
  EXPECT_EQ(reader->read(), kForged);
}

// What is put before the observer's line makes one line of both.
TEST_F(Ledger, HalfALineSpoilsNoOther) {
  write("own\tx");
  EXPECT_EQ(reader->read(), kForged);
  write("operator\taten::mm\t\n");
  reader->read();
  EXPECT_EQ(seen->operators, std::vector<std::string>{"aten::mm"});
}

TEST_F(Ledger, HalfALineBeforeAnOperatorIsForged) {
  write("xoperator\taten::mm\t\n");
  EXPECT_EQ(reader->read(), kForged);
}

TEST_F(Ledger, NoLinePushesAnotherOut) {
  std::string many;
  for (int i = 0; i < 1500; ++i) {
    many += "library\t" + std::to_string(i) + "\t\n";
  }
  write(many + "operator\taten::mm\t\n");
  EXPECT_EQ(reader->read(), "PyTorch computes in place of the candidate: aten::mm");
  EXPECT_TRUE(seen->libraries.empty());  // none of them is there to be loaded
  std::string operators;
  for (int i = 0; i < 1500; ++i) {
    operators += "operator\t" + std::to_string(i) + "\t\n";
  }
  write(operators);
  EXPECT_EQ(reader->read(), kForged);
}

TEST_F(Ledger, SaysSinceWhenOperatorsAreForbidden) {
  write("own\tmine::relu\t\n");
  reader->read();
  EXPECT_FALSE(reader->is_enforced());
  write("enforced\t\t\n");
  EXPECT_EQ(reader->read(), std::nullopt);
  EXPECT_TRUE(reader->is_enforced());
}

// More than any pipe holds at once was put there while it was read: there is no telling what is still to come.
TEST_F(Ledger, AStreamWithoutAnEndIsForged) {
  constexpr int kMaxPipeBytes = 1 << 20;
  if (::fcntl(write_end.get(), F_SETPIPE_SZ, kMaxPipeBytes) != kMaxPipeBytes) {
    GTEST_SKIP() << "this system allows no pipe of 1 MiB";
  }
  ::fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
  const std::string line = std::string("own\t") + std::string(58, 'x') + "\t\n";
  while (::write(write_end.get(), line.data(), line.size()) > 0) {
  }
  EXPECT_EQ(reader->read(), kForged);
}

}  // namespace
}  // namespace stitch::evaluate
