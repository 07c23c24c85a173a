// Tests of many categories in forests, whose nodes go down to single rows.
//
// The order of the categories is made from the same rows that the cut is judged by. Were the target mere
// chance, a category would still add about loss / rows to the spread of the means along the order, and with
// it to the gain of the best cut: with as many categories as rows every target could be told from every
// other. A threshold has one order for the whole table and no such freedom. So that columns compete on what
// they know, a subset test pays for its categories, and categories of few rows, whose place in the order is
// theirs by chance, are taken as one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "criterion/summary.h"
#include "split/candidate.h"
#include "split/category_buckets.h"
#include "split/rules.h"

namespace treewright {

// The best of all cuts of a number gains by chance what the best subset of about so many categories does.
inline constexpr std::size_t kFreeCategories = 5;
// So few categories in a node are never taken together.
inline constexpr std::size_t kFewCategories = 8;

// What the test of a node with so many categories pays, in units of gain.
inline double price_of_categories(const SplitRules& rules, const Summary& node, std::size_t n_categories) {
  if (n_categories <= kFreeCategories || node.rows == 0) return 0;
  return rules.category_price * static_cast<double>(n_categories - kFreeCategories) * node.loss /
         static_cast<double>(node.rows);
}

// The categories of a node with the rare ones as one, behind the others.
template <class Target>
class PooledCategories {
 public:
  // Returns whether categories were taken together.
  bool pool(const CategoryBuckets<Target>& all, std::size_t min_rows) {
    if (all.size() <= kFewCategories || min_rows <= 1) return false;
    rare_.clear();
    buckets_.reset(*all.target);
    buckets_.missing = all.missing;
    buckets_.missing_rows = all.missing_rows;
    const auto stride = static_cast<std::size_t>(all.target->stride());
    rest_.assign(stride, {});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto* bucket = all.bucket(i);
      if (all.target->rows(bucket) < min_rows) {
        rare_.push_back(all.codes[i]);
        for (std::size_t k = 0; k < stride; ++k) rest_[k] += bucket[k];
      } else {
        buckets_.codes.push_back(all.codes[i]);
        buckets_.cells.insert(buckets_.cells.end(), bucket, bucket + stride);
      }
    }
    if (rare_.size() < 2) return false;
    buckets_.codes.push_back(kRare);
    buckets_.cells.insert(buckets_.cells.end(), rest_.begin(), rest_.end());
    return true;
  }

  const CategoryBuckets<Target>& buckets() const { return buckets_; }

  // Names the rare categories in a test that was found among the buckets.
  void spell_out(Candidate& candidate) const {
    if (candidate.right.empty() || candidate.right.back() != kRare) return;
    candidate.right.pop_back();
    const auto middle = static_cast<std::ptrdiff_t>(candidate.right.size());
    candidate.right.insert(candidate.right.end(), rare_.begin(), rare_.end());
    std::inplace_merge(candidate.right.begin(), candidate.right.begin() + middle, candidate.right.end());
  }

 private:
  static constexpr Code kRare = std::numeric_limits<Code>::max();  // above every code

  CategoryBuckets<Target> buckets_;
  std::vector<Code> rare_;  // ascending
  std::vector<typename Target::Cell> rest_;
};

}  // namespace treewright
