// RandomSubset: the random test of a nominal column in an extremely randomised tree. As a number is cut at a
// threshold drawn between its smallest and largest value in the node, categories are cut by their mean target
// in the node, drawn between the smallest and the largest. With more than two classes the mean is the share
// of one class, drawn as often as the class is in the node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "data/dataset.h"
#include "grow/column_rows.h"
#include "grow/open_node.h"
#include "split/many_categories.h"

namespace treewright {

template <class Criterion, class Scan>
class RandomSubset {
 public:
  using Target = typename Criterion::Target;
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;

  RandomSubset(const Dataset& data, const Criterion& criterion, const SplitRules& rules)
      : criterion_(criterion), rules_(rules), columns_(data, criterion, rules) {}

  // Reads the categories of a column; returns whether the column varies in the node.
  bool read(const Column& column, const Node& node) {
    if (columns_.use_table(column, node.size)) {
      all_.fill(columns_.table(column, node, scratch_));
    } else {
      all_.fill(criterion_.target, columns_.sorted(column, node, scratch_));
    }
    const auto least = static_cast<std::size_t>(std::max<std::int64_t>(rules_.min_category_rows, 1));
    found_ = pooled_.pool(all_, least) ? &pooled_.buckets() : &all_;
    return all_.size() + (has_missing() ? 1 : 0) > 1;
  }

  bool has_missing() const { return all_.missing_rows > 0; }
  std::size_t size() const { return found_->size(); }  // rare categories as one

  // What the test pays (split/many_categories.h). One random cut of a number gains by chance what that of two
  // categories does, so only two are free.
  double price(const Node& node) const {
    const auto paid = static_cast<double>(std::max(size(), kFreeInRandomTests) - kFreeInRandomTests);
    return rules_.category_price * paid * node.summary.loss / static_cast<double>(node.size);
  }

  // Draws which categories go right, into a candidate: of several some, but not all; of one none.
  void draw(const Node& node, Random& random, Candidate& test) {
    means_.resize(size());
    const int output = draw_output(node, random);
    for (std::size_t i = 0; i < size(); ++i) means_[i] = mean(found_->bucket(i), output);
    const auto [low, high] = std::minmax_element(means_.begin(), means_.end());
    const double share = random.uniform01();
    double threshold = *low * (1 - share) + *high * share;
    if (!(threshold < *high) || !(threshold >= *low)) threshold = *low;  // rounding
    test.right.clear();
    for (std::size_t i = 0; i < size(); ++i) {
      if (means_[i] > threshold) test.right.push_back(found_->codes[i]);
    }
    if (size() > 1 && test.right.empty()) draw_any(random, test.right);
    sum_left(test.right);
    pooled_.spell_out(test);
  }

  // What the drawn test sends left of the rows with a value, or of all.
  const std::vector<Cell>& left(bool with_missing) {
    for (std::size_t k = 0; with_missing && k < left_.size(); ++k) left_[k] += all_.missing[k];
    return left_;
  }

 private:
  static constexpr std::size_t kFreeInRandomTests = 2;
  static constexpr bool kClasses = requires(Target target) { target.classes; };

  int draw_output(const Node& node, Random& random) const {
    if constexpr (kClasses) {
      const int last = criterion_.target.classes - 1;
      if (last < 2) return last;
      double place = random.uniform01() * node.summary.weight;
      for (int k = 0; k < last; ++k) {
        place -= node.summary.totals[static_cast<std::size_t>(k)];
        if (place < 0) return k;
      }
      return last;
    }
    return 0;
  }

  double mean(const Cell* bucket, int output) const {
    return static_cast<double>(Target::amount(bucket[output])) / criterion_.target.weight(bucket);
  }

  // Means that are all the same tell nothing: every subset but none and all, each as likely as any other.
  void draw_any(Random& random, std::vector<Code>& right) const {
    while (right.empty() || right.size() == size()) {
      right.clear();
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < size(); ++i) {
        if (i % 64 == 0) bits = random.next();
        if ((bits >> (i % 64) & 1U) != 0) right.push_back(found_->codes[i]);
      }
    }
  }

  void sum_left(const std::vector<Code>& right) {
    left_.assign(static_cast<std::size_t>(criterion_.target.stride()), Cell{});
    auto next = right.begin();
    for (std::size_t i = 0; i < size(); ++i) {
      if (next != right.end() && *next == found_->codes[i]) {
        ++next;
        continue;
      }
      for (std::size_t k = 0; k < left_.size(); ++k) left_[k] += found_->bucket(i)[k];
    }
  }

  const Criterion& criterion_;
  const SplitRules& rules_;
  ColumnRows<Criterion, Scan> columns_;
  ColumnScratch<Criterion> scratch_;
  CategoryBuckets<Target> all_;
  PooledCategories<Target> pooled_;
  const CategoryBuckets<Target>* found_ = nullptr;
  std::vector<double> means_;
  std::vector<Cell> left_;
};

}  // namespace treewright
