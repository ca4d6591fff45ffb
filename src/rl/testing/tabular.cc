// SPDX-License-Identifier: Apache-2.0
#include "rl/testing/tabular.h"

#include <algorithm>
#include <cmath>

#include "rl/testing/stream.h"

namespace stitch::rl::testing {

TabularPolicy::TabularPolicy(int vocabulary, int length) : vocabulary_(vocabulary), length_(length), sequences_(1) {
  size_t rows = 0;
  for (int t = 0; t < length; ++t) {
    powers_.push_back(sequences_);
    rows += static_cast<size_t>(sequences_);
    sequences_ *= vocabulary;
  }
  powers_.push_back(sequences_);
  logits_.assign(rows * static_cast<size_t>(vocabulary), 0.0);
}

void TabularPolicy::draw(uint64_t seed, double sigma) {
  std::fill(logits_.begin(), logits_.end(), 0.0);
  perturb(seed, sigma);
}

void TabularPolicy::perturb(uint64_t seed, double sigma) {
  Stream stream(seed);
  for (double& logit : logits_) {
    logit += sigma * stream.normal();
  }
}

int TabularPolicy::digit(int sequence, int t) const {
  return sequence / powers_[static_cast<size_t>(length_ - 1 - t)] % vocabulary_;
}

size_t TabularPolicy::row_of(int sequence, int t) const {
  int before = 0;  // rows of shorter prefixes
  for (int k = 0; k < t; ++k) {
    before += powers_[static_cast<size_t>(k)];
  }
  const int prefix = sequence / powers_[static_cast<size_t>(length_ - t)];
  return static_cast<size_t>((before + prefix) * vocabulary_);
}

std::vector<int> TabularPolicy::tokens_of(int sequence) const {
  std::vector<int> tokens;
  for (int t = 0; t < length_; ++t) {
    tokens.push_back(digit(sequence, t));
  }
  return tokens;
}

std::vector<double> TabularPolicy::token_log_probs(int sequence) const {
  std::vector<double> result;
  for (int t = 0; t < length_; ++t) {
    const std::vector<double> row = log_softmax(&logits_[row_of(sequence, t)], vocabulary_);
    result.push_back(row[static_cast<size_t>(digit(sequence, t))]);
  }
  return result;
}

double TabularPolicy::probability(int sequence) const {
  double sum = 0;
  for (const double logp : token_log_probs(sequence)) {
    sum += logp;
  }
  return std::exp(sum);
}

double TabularPolicy::expectation(const std::vector<double>& of_sequence) const {
  double sum = 0;
  for (int s = 0; s < sequences_; ++s) {
    sum += probability(s) * of_sequence[static_cast<size_t>(s)];
  }
  return sum;
}

void TabularPolicy::add_token_gradient(int sequence, int t, double weight, std::vector<double>& gradient) const {
  const size_t row = row_of(sequence, t);
  const std::vector<double> logp = log_softmax(&logits_[row], vocabulary_);
  for (int a = 0; a < vocabulary_; ++a) {
    const double taken = a == digit(sequence, t) ? 1 : 0;
    gradient[row + static_cast<size_t>(a)] += weight * (taken - std::exp(logp[static_cast<size_t>(a)]));
  }
}

void TabularPolicy::add_gradient(int sequence, double weight, std::vector<double>& gradient) const {
  for (int t = 0; t < length_; ++t) {
    add_token_gradient(sequence, t, weight, gradient);
  }
}

std::vector<double> TabularPolicy::gradient_of_expectation(const std::vector<double>& of_sequence) const {
  std::vector<double> gradient(logits_.size(), 0.0);
  for (int s = 0; s < sequences_; ++s) {
    add_gradient(s, probability(s) * of_sequence[static_cast<size_t>(s)], gradient);
  }
  return gradient;
}

std::vector<double> log_softmax(const double* first, int count) {
  const double largest = *std::max_element(first, first + count);
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += std::exp(first[i] - largest);
  }
  std::vector<double> result(first, first + count);
  for (double& one : result) {
    one -= largest + std::log(sum);
  }
  return result;
}

double norm(const std::vector<double>& a) {
  double sum = 0;
  for (const double x : a) {
    sum += x * x;
  }
  return std::sqrt(sum);
}

double relative_distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    difference[i] = a[i] - b[i];
  }
  return norm(difference) / norm(b);
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum / (norm(a) * norm(b));
}

}  // namespace stitch::rl::testing
