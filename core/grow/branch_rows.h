// BranchRows: the rows that a test sends down one branch, as sums where the loss is a function of sums and as
// a list of samples elsewhere.
#pragma once

#include <cstddef>
#include <vector>

#include "criterion/summary.h"
#include "grow/candidates.h"

namespace treewright {

template <class Criterion>
concept LossOfTotals = requires { Criterion::loss(nullptr, 0, 0.0); };

template <class Criterion>
class BranchRows {
 public:
  using Sample = typename Criterion::Sample;

  explicit BranchRows(const Criterion& criterion) : criterion_(&criterion) {
    if constexpr (LossOfTotals<Criterion>) {
      sums_.totals.assign(static_cast<std::size_t>(criterion.outputs()), 0.0);
    }
  }

  void add(const Sample& sample) {
    if constexpr (LossOfTotals<Criterion>) {
      ++sums_.rows;
      sums_.totals[sample.label] += sample.weight();
    } else {
      samples_.push_back(sample);
    }
  }

  // All rows of another branch.
  void add(const BranchRows& other) {
    if constexpr (LossOfTotals<Criterion>) {
      sums_.rows += other.sums_.rows;
      for (std::size_t k = 0; k < sums_.totals.size(); ++k) sums_.totals[k] += other.sums_.totals[k];
    } else {
      samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
    }
  }

  Summary summarise() {
    if constexpr (!LossOfTotals<Criterion>) {
      return criterion_->summarise(samples_.data(), samples_.size());
    } else {
      Summary summary = sums_;
      int present = 0;
      for (const double total : summary.totals) {
        summary.weight += total;
        present += total > 0;
      }
      summary.pure = present <= 1;
      if (!summary.pure) {
        summary.loss = Criterion::loss(summary.totals.data(), criterion_->outputs(), summary.weight);
      }
      return summary;
    }
  }

 private:
  const Criterion* criterion_;
  Summary sums_;
  std::vector<Sample> samples_;
};

// A summary in the words of a report.
template <class Criterion>
BranchFacts branch_facts(const Criterion& criterion, const Summary& summary) {
  BranchFacts facts{summary.rows, summary.weight, summary.loss, {}};
  if constexpr (LossOfTotals<Criterion>) {
    facts.amounts = summary.totals;
  } else {
    facts.amounts.assign(1, 0.0);
    if (summary.rows > 0) criterion.value(summary, facts.amounts.data());
  }
  return facts;
}

}  // namespace treewright
