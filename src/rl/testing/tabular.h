// SPDX-License-Identifier: Apache-2.0
// For tests and toys: a policy over short sequences that is small enough to sum over all of them, so that an
// expectation is a number and no estimate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stitch::rl::testing {

// Softmax policies over `vocabulary` tokens, one for each prefix of fewer than `length` tokens. Sequences are numbered
// by their tokens as digits, the first token the highest.
class TabularPolicy {
 public:
  TabularPolicy(int vocabulary, int length);

  int vocabulary() const { return vocabulary_; }
  int length() const { return length_; }
  int sequences() const { return sequences_; }
  std::vector<double>& logits() { return logits_; }
  const std::vector<double>& logits() const { return logits_; }

  // Logits that are normal with standard deviation `sigma`; the same for the same seed on every machine.
  void draw(uint64_t seed, double sigma);
  // Adds normal noise to every logit.
  void perturb(uint64_t seed, double sigma);

  std::vector<int> tokens_of(int sequence) const;
  std::vector<double> token_log_probs(int sequence) const;
  double probability(int sequence) const;
  // The expected value of one number a sequence.
  double expectation(const std::vector<double>& of_sequence) const;

  // Adds weight * d log p(token t of the sequence) / d logits.
  void add_token_gradient(int sequence, int t, double weight, std::vector<double>& gradient) const;
  // The same for the whole sequence.
  void add_gradient(int sequence, double weight, std::vector<double>& gradient) const;
  // d expectation(of_sequence) / d logits, by summing over all sequences.
  std::vector<double> gradient_of_expectation(const std::vector<double>& of_sequence) const;

 private:
  size_t row_of(int sequence, int t) const;  // where the logits that choose token t begin
  int digit(int sequence, int t) const;

  int vocabulary_;
  int length_;
  int sequences_;
  std::vector<int> powers_;  // vocabulary^t
  std::vector<double> logits_;
};

// log softmax of `count` logits from `first` on.
std::vector<double> log_softmax(const double* first, int count);

double norm(const std::vector<double>& a);
// |a - b| / |b|.
double relative_distance(const std::vector<double>& a, const std::vector<double>& b);
double cosine(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace stitch::rl::testing
