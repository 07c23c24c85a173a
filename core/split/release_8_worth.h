// What a test of Release 8 competes on, and the information of one bucket in its arithmetic.
#pragma once

#include <limits>

#include "criterion/single_precision.h"
#include "split/candidate.h"
#include "split/group_best.h"

namespace treewright {

// Of a bucket or of totals: one amount per class.
template <class Criterion, class Amount>
SingleInfo class_info(const Criterion& criterion, const Amount* amounts) {
  SingleInfo info;
  for (int k = 0; k < criterion.target.channels(); ++k) {
    if (amounts[k] > 0) info.add(static_cast<double>(amounts[k]));
  }
  return info;
}

// Mean information of the known rows before a test of categories. The program rounds this one only once.
template <class Criterion>
float known_info(const Criterion& criterion, const double* totals, double weight) {
  const auto known = static_cast<double>(static_cast<float>(weight));
  double sum = 0;
  for (int k = 0; k < criterion.target.channels(); ++k) {
    sum += x_log2_x(static_cast<double>(static_cast<float>(totals[k])));
  }
  return static_cast<float>((x_log2_x(known) - sum) / known);
}

// Gain and split info per unit of weight. A test that tells (almost) nothing apart competes for nothing.
template <class Criterion>
void set_worth(Candidate& candidate, float gain, float split_info, const NodeColumn<Criterion>& node) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  candidate.mean_gain = gain;
  candidate.gain = static_cast<double>(gain) * node.summary.weight;
  candidate.split_info = static_cast<double>(split_info) * node.summary.weight;
  if (node.rules.ranking == Ranking::kGain) {
    candidate.rank = split_info > 0 ? gain : kNever;
  } else {
    candidate.rank = split_info > kSlack ? gain / split_info : kNever;
  }
}

}  // namespace treewright
