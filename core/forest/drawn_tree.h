// DrawnTree: grows a whole tree of a forest by one thread: some columns are drawn in every node, and the best
// of their cuts, or of one random cut of each, splits it. Depth first, branch 0 first, which is the canonical
// numbering already.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/stop.h"
#include "base/types.h"
#include "data/dataset.h"
#include "forest/drawn_search.h"
#include "forest/drawn_tests.h"
#include "forest/entry_search.h"
#include "forest/random_cut.h"
#include "grow/feature_draw.h"
#include "grow/node_rules.h"
#include "grow/node_split.h"
#include "grow/open_node.h"
#include "grow/partition.h"
#include "grow/tie_order.h"
#include "tree/builder.h"
#include "tree/canonical.h"

namespace treewright {

// ColumnDraw: draws columns of one node without replacement, one after the other, in time that depends on how
// many are drawn and not on how many there are.
class ColumnDraw {
 public:
  // Forgets the draw before.
  void start(std::span<const FeatureId> columns, const Random& random) {
    if (columns.data() != source_ || columns.size() != columns_.size()) {
      columns_.assign(columns.begin(), columns.end());
      source_ = columns.data();
    } else {
      // Swaps taken back in reverse order restore the list.
      while (!swapped_.empty()) {
        std::swap(columns_[swapped_.size() - 1], columns_[swapped_.back()]);
        swapped_.pop_back();
      }
    }
    swapped_.clear();
    random_ = random;
  }

  bool empty() const { return swapped_.size() == columns_.size(); }

  FeatureId next() {
    const std::size_t place = swapped_.size();
    const std::size_t other = place + static_cast<std::size_t>(random_.uniform(columns_.size() - place));
    std::swap(columns_[place], columns_[other]);
    swapped_.push_back(other);
    return columns_[place];
  }

 private:
  const FeatureId* source_ = nullptr;
  std::vector<FeatureId> columns_;
  std::vector<std::size_t> swapped_;
  Random random_;
};

// ConstantColumns: the columns that are known to be constant in a node, and so in all nodes below it. Sets
// are kept on a stack, because a tree that is grown depth first is done with them in reverse order.
class ConstantColumns {
 public:
  // Starts with one empty set, set 0.
  void start(std::size_t n_columns) {
    words_per_set_ = (n_columns + 63) / 64;
    words_.assign(words_per_set_, 0);
  }

  // A copy of a set on top of it, for the children of the node that the set belongs to; all sets above it are
  // dropped. Returns the number of the copy.
  std::size_t push_copy(std::size_t set) {
    words_.resize((set + 2) * words_per_set_);
    const auto from = static_cast<std::ptrdiff_t>(set * words_per_set_);
    std::copy_n(words_.begin() + from, words_per_set_,
                words_.begin() + from + static_cast<std::ptrdiff_t>(words_per_set_));
    return set + 1;
  }

  bool contains(std::size_t set, FeatureId column) const {
    const auto c = static_cast<std::size_t>(column);
    return (words_[set * words_per_set_ + c / 64] >> (c % 64) & 1U) != 0;
  }
  void add(std::size_t set, FeatureId column) {
    const auto c = static_cast<std::size_t>(column);
    words_[set * words_per_set_ + c / 64] |= std::uint64_t{1} << (c % 64);
  }

 private:
  std::size_t words_per_set_ = 1;
  std::vector<std::uint64_t> words_;
};

template <class Criterion, class Scan>
class DrawnTree {
 public:
  using Sample = typename Criterion::Sample;

  DrawnTree(const Dataset& data, const ForestRecords& records, const KeyRecords& keys,
            const Criterion& criterion, const GrowPlan& plan, const StopFlag& stop, DrawnTests* noted)
      : data_(data),
        criterion_(criterion),
        plan_(plan),
        stop_(stop),
        noted_(noted),
        search_(data, records, criterion, plan),
        random_cut_(data, keys, criterion, plan),
        entries_(data, criterion),
        pairs_tie_(!Criterion::kOrdered && !data.has_sparse() && plan.relative_tie > 0 &&
                   plan.missing == MissingRule::kLearned) {}

  // The tree of a bag, which is reordered: rows of one leaf stand together. Looks at these columns only.
  // `spare` is a tree grown before, for its memory.
  Tree grow(RowList<Sample>& bag, std::span<const FeatureId> columns, const Random& random, Tree spare = {}) {
    columns_ = columns;
    random_ = random;
    order_ = TieOrder(std::vector<FeatureId>(columns.begin(), columns.end()));
    if (plan_.draw_ties) order_ = TieOrder::drawn(std::move(order_), Random(random).next());
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(plan_.max_features, 0));
    per_node_ = wanted == 0 ? columns.size() : std::min(wanted, columns.size());
    constants_.start(data_.columns.size());
    if constexpr (Entries::kApplies) entries_.start(bag);

    Node root;
    root.rows = bag.rows.data();
    root.samples = bag.samples.data();
    root.size = bag.rows.size();
    root.summary = criterion_.summarise(root.samples, root.size);
    const NodeRules rules(plan_, root.summary.weight);
    TreeBuilder builder(criterion_.outputs(), std::move(spare));
    builder.reserve(last_size_ + last_size_ / 8);  // trees of a forest are about as large as each other
    rules.record(builder.tree(), 0, criterion_, root.summary, {});
    if (!rules.may_split(0, root.summary)) return builder.finish();
    if (plan_.max_leaves < kUnlimited) return grow_best_first(std::move(root), rules, builder);
    stack_.clear();
    stack_.push_back(std::move(root));
    while (!stack_.empty()) {
      const Node node = std::move(stack_.back());
      stack_.pop_back();
      find(node, static_cast<std::size_t>(node.depth), rules);
      if (!rules.accepts(best_, node.summary)) continue;
      split(node, rules, builder, [&](Node&& child) { stack_.push_back(std::move(child)); });
    }
    Tree tree = builder.finish();
    last_size_ = tree.size();
    // Nodes have their numbers already; tables are written in the order of the splits.
    return tree.tables.empty() ? tree : canonical(std::move(tree));
  }

 private:
  using Node = OpenNode<Sample>;
  using Entries = EntrySearch<Criterion, Scan>;
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  // The leaf whose split gains most comes first; of equal gains the one that was opened first.
  Tree grow_best_first(Node&& root, const NodeRules& rules, TreeBuilder& builder) {
    struct Waiting {
      double gain;
      std::size_t number;
      std::shared_ptr<const Node> node;
      std::shared_ptr<const Candidate> best;
      bool operator<(const Waiting& other) const {
        return gain != other.gain ? gain < other.gain : number > other.number;
      }
    };
    std::priority_queue<Waiting> queue;
    std::size_t number = 0;
    const auto open = [&](Node&& node) {
      find(node, 0, rules);  // nodes come in no order that a stack of constant columns could follow
      if (!rules.accepts(best_, node.summary)) return;
      queue.push({best_.gain, number++, std::make_shared<const Node>(std::move(node)),
                  std::make_shared<const Candidate>(best_)});
    };
    open(std::move(root));
    for (std::int64_t leaves = 1; !queue.empty() && leaves < plan_.max_leaves; ++leaves) {
      const Waiting next = queue.top();
      queue.pop();
      best_ = *next.best;
      std::vector<Node> children;
      split(*next.node, rules, builder, [&](Node&& child) { children.push_back(std::move(child)); });
      for (auto child = children.rbegin(); child != children.rend(); ++child) open(std::move(*child));
    }
    return canonical(builder.finish());
  }

  // The best test of the drawn columns, in `best_`. They are looked at in the order in which they were drawn,
  // because of equally good tests the first wins; columns that do not vary use up their draw, but one that
  // varies is always looked at.
  void find(const Node& node, std::size_t constants, const NodeRules& rules) {
    steps_ += node.size * per_node_;
    constexpr std::size_t kStepsBetween = std::size_t{1} << 20;  // some milliseconds
    if (steps_ >= kStepsBetween) {
      steps_ = 0;
      stop_.throw_if_requested();
    }
    best_.kind = NodeKind::kLeaf;
    best_.gain = best_.rank = -std::numeric_limits<double>::infinity();
    best_.feature = kNoFeature;
    best_.bin = 0;
    best_.price = 0;
    limits_ = rules.limits(node.summary, node.bounds);
    constant_ = constants_.push_copy(constants);
    const Random random = random_.split(node.key);
    if (per_node_ == columns_.size()) {
      order_.list(node.key, drawn_);
      offer_drawn(node, rules, random);
    } else {
      draw_.start(columns_, random);
      drawn_.clear();
      while (drawn_.size() < per_node_) drawn_.push_back(draw_.next());
      while (!offer_drawn(node, rules, random) && !draw_.empty()) drawn_.assign(1, draw_.next());
    }
    if (!plan_.random_cuts) search_.finish(node, best_);
    best_.gain += best_.price;
  }

  // Returns whether one of the drawn columns varies.
  bool offer_drawn(const Node& node, const NodeRules& rules, const Random& random) {
    std::erase_if(drawn_, [this](FeatureId column) { return constants_.contains(constant_, column); });
    const bool noted = noted_ != nullptr && noted_->node_key == node.key;
    if (node.size == 2 && pairs_tie_ && !limits_.bounded && !noted) keep_first_varying(node);
    dense_.clear();
    for (const FeatureId column : drawn_) {
      if (!data_.column(column).is_sparse) dense_.push_back(column);
    }
    plan_.random_cuts ? random_cut_.prepare(node, dense_, random) : search_.prepare(node, dense_);
    if (noted && plan_.random_cuts) note_tests(node, rules, random);
    bool varied = false;
    std::size_t next = 0;  // of the dense ones
    for (const FeatureId column : drawn_) {
      limits_.monotone = rules.monotone(column);
      bool varies = false;
      if (data_.column(column).is_sparse) {
        varies = offer_entries(node, column, random, limits_, best_);
      } else if (plan_.random_cuts) {
        varies = random_cut_.offer(node, next++, limits_, best_);
      } else {
        varies = search_.offer(node, next++, limits_, best_);
      }
      if (!varies) constants_.add(constant_, column);
      varied |= varies;
    }
    return varied;
  }

  // Before the tests are compared, because the last one that is offered and taken moves the rows.
  void note_tests(const Node& node, const NodeRules& rules, const Random& random) {
    std::size_t next = 0;  // of the dense ones
    for (const FeatureId column : drawn_) {
      const bool is_sparse = data_.column(column).is_sparse;
      const auto offer = [&](const Limits& limits) {
        Candidate alone;
        is_sparse ? offer_entries(node, column, random, limits, alone)
                  : random_cut_.offer(node, next, limits, alone);
        return alone;
      };
      Limits own = limits_;
      own.monotone = rules.monotone(column);
      DrawnTest found{offer({}), offer(own).valid()};
      found.test.feature = column;
      noted_->tests.push_back(std::move(found));
      if (!is_sparse) ++next;
    }
  }

  // Every test parts two rows and gains all there is, so the first column that can has won. No node below
  // asks which columns do not vary.
  void keep_first_varying(const Node& node) {
    const auto first = std::find_if(drawn_.begin(), drawn_.end(), [&](FeatureId feature) {
      return visit_codes(data_.column(feature),
                         [&](const auto* codes) { return codes[node.rows[0]] != codes[node.rows[1]]; });
    });
    if (first != drawn_.end()) *drawn_.begin() = *first;
    drawn_.resize(first == drawn_.end() ? 0 : 1);
  }

  bool offer_entries(const Node& node, FeatureId column, const Random& random, const Limits& limits,
                     Candidate& best) {
    if constexpr (Entries::kApplies) {
      return plan_.random_cuts ? entries_.offer_random(node, column, random, limits, best)
                               : entries_.offer(node, column, limits, best);
    } else {
      throw_not_dense();
    }
  }

  // Calls open(child) for children that may be split further, the last branch first.
  template <class Open>
  void split(const Node& node, const NodeRules& rules, TreeBuilder& builder, Open open) {
    const Column& column = data_.column(best_.feature);
    NodeSplit test(best_, column, plan_);
    std::uint32_t other = 0;
    const bool count_first =
        column.has_missing && !test.missing_known() && plan_.missing != MissingRule::kLearned;
    const bool subset = test.kind() == NodeKind::kSubset;
    if (count_first || (subset && column.has_missing)) {
      const BranchSizes sizes = count_known(column, node, test);
      other = sizes.left > sizes.right ? 0 : 1;
      if (count_first) test.set_missing(sizes.left_weight > sizes.right_weight ? 0 : 1);
    }
    const std::vector<Code> seen = subset ? codes_seen(column, node) : std::vector<Code>{};
    const std::size_t left = move_rows(column, node, test);
    if constexpr (Entries::kApplies) entries_.moved(node);
    const std::uint32_t larger = 2 * left > node.size ? 0 : 1;
    if (subset && !column.has_missing) other = larger;
    if (!test.missing_known()) test.set_missing(subset && column.has_missing ? other : larger);
    const NodeId first = test.write(builder, node.id, other, seen);

    double loss = node.summary.loss;
    Node children[2];
    for (std::uint32_t b : {0U, 1U}) {
      Node& child = children[b];
      child.id = first + static_cast<NodeId>(b);
      child.depth = node.depth + 1;
      child.key = child_key(node.key, b);
      child.rows = node.rows + (b == 0 ? 0 : left);
      child.samples = node.samples + (b == 0 ? 0 : left);
      child.size = b == 0 ? left : node.size - left;
      child.bounds = rules.bounds_of_child(node.bounds, best_, b);
    }
    summarise(node.summary, children);
    for (const Node& child : children) {
      loss -= child.summary.loss;
      rules.record(builder.tree(), child.id, criterion_, child.summary, child.bounds);
    }
    builder.tree().gain[static_cast<std::size_t>(node.id)] = std::max(loss, 0.0);
    for (std::uint32_t b : {1U, 0U}) {
      if (rules.may_split(children[b].depth, children[b].summary)) open(std::move(children[b]));
    }
  }

  // Where all sums are whole numbers, those of one child follow from the other's.
  void summarise(const Summary& all, Node (&children)[2]) const {
    if constexpr (requires { criterion_.summarise_rest(all, all); } && !Criterion::Target::kIsWeighted) {
      const std::size_t smaller = children[0].size < children[1].size ? 0 : 1;
      Node& one = children[smaller];
      one.summary = criterion_.summarise(one.samples, one.size);
      children[1 - smaller].summary = criterion_.summarise_rest(all, one.summary);
    } else {
      for (Node& child : children) child.summary = criterion_.summarise(child.samples, child.size);
    }
  }

  // By what the search has just read, where that tells the side.
  std::size_t move_rows(const Column& column, const Node& node, const NodeSplit& test) {
    if constexpr (Entries::kApplies) {
      if (column.is_sparse) {
        const Code last = plan_.random_cuts ? last_code_below(column, best_.drawn) : best_.cut;
        return entries_.move_rows(node, column, last, [&](auto goes_right) {
          return partition_by_row(node, scratch_, goes_right);
        });
      }
    }
    if (plan_.random_cuts && best_.kind == NodeKind::kThreshold) {
      return random_cut_.move_rows(
          node, best_, [&](auto goes_right) { return partition_by_row(node, scratch_, goes_right); });
    }
    if (best_.kind != NodeKind::kThreshold || !search_.knows_sides(node, best_)) {
      return partition_binary(column, node, test, scratch_);
    }
    return search_.move_rows(node, best_,
                             [&](auto goes_right) { return partition_by_row(node, scratch_, goes_right); });
  }

  const Dataset& data_;
  const Criterion& criterion_;
  const GrowPlan& plan_;
  const StopFlag& stop_;
  DrawnTests* const noted_;  // none: nobody asks
  DrawnSearch<Criterion, Scan> search_;
  RandomCut<Criterion, Scan> random_cut_;
  Entries entries_;
  const bool pairs_tie_;  // of two rows, whatever parts them gains the same

  std::span<const FeatureId> columns_;  // of the tree
  Random random_;
  TieOrder order_;  // of nodes that look at all of them
  std::size_t per_node_ = 0;
  std::size_t last_size_ = 0;  // nodes of the tree before
  std::size_t steps_ = 0;      // since the last look for a stop
  ColumnDraw draw_;
  std::vector<FeatureId> drawn_, dense_;
  ConstantColumns constants_;
  std::size_t constant_ = 0;  // the set of the node that is split
  Limits limits_;
  Candidate best_;
  PartitionScratch<Sample> scratch_;
  std::vector<Node> stack_;
};

}  // namespace treewright
