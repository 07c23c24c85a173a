#include "boost/histogram/shared_grower.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "boost/histogram/child_leaves.h"

namespace treewright {

template <class Ticks>
SharedGrower<Ticks>::SharedGrower(const Dataset& data, const BoostPlan& plan, Team& team, RowExchange& others)
    : data_(data),
      plan_(plan),
      team_(team),
      others_(others),
      draws_(plan, data.n_features()),
      tree_(data, &others),
      keeper_(data, plan, &others, team, static_cast<std::size_t>(team.size())),
      searcher_(data, plan, scores_, keeper_, static_cast<std::size_t>(team.size())),
      chooser_(plan),
      order_(chooser_),
      spare_(static_cast<std::size_t>(team.size())) {
  for (std::vector<std::uint16_t>& spare : spare_) spare.resize(RowBlocks::kMostRows + kSpareIds);
  first_count_.push_back(0);
  for (const Column& column : data.columns) {
    first_count_.push_back(first_count_.back() + column.n_codes + std::size_t{2});
  }
}

template <class Ticks>
BoostedTree SharedGrower<Ticks>::grow(const Gradients& gradients, std::uint64_t round, std::size_t output) {
  if (gradients.sizes == nullptr) throw std::invalid_argument("Sizes of gradients must be known.");
  gradients_ = gradients;
  key_ = tree_key(plan_.seed, round, output);
  tree_.begin();
  keeper_.release_all();
  draws_.begin_tree(key_);
  chooser_.begin_tree(std::max(plan_.min_gain, gradients.chance_gain));
  order_.begin_tree();
  const TreeTicks ticks(*gradients.sizes, gradients_, keeper_.groups(),
                        TreeTicks::limit<Ticks>(tree_.n_all_rows()), key_);
  scores_ = NodeScores(plan_, ticks.quantiser.units());
  searcher_.begin_tree(ticks.quantiser.counts_rows(), ticks.most);
  open_root(ticks);
  for (;;) {
    order_.advance();
    const std::vector<NodeId> wanted = order_.wanted(most_opened());
    if (wanted.empty()) break;
    team_.poll();
    open_batch(wanted);
  }
  return finished();
}

template <class Ticks>
std::size_t SharedGrower<Ticks>::most_opened() const {
  const std::size_t bytes = keeper_.groups().n_cells() * sizeof(typename Ticks::Cell);
  return std::max<std::size_t>(1, kMostBytes / std::max<std::size_t>(bytes, 1));
}

template <class Ticks>
void SharedGrower<Ticks>::open_root(const TreeTicks& ticks) {
  batch_.assign(1, FreshLeaves<Ticks>{});
  counts_.assign(1, CodeCounts{});
  FreshLeaves<Ticks>& fresh = batch_.front();
  fresh.leaves.assign(1, OpenLeaf{});
  OpenLeaf& root = fresh.leaves.front();
  root.key = key_;
  root.columns = draws_.columns(root.depth, root.key, root.path);
  fresh.fills = true;
  WorkCounter blocks, groups;
  team_.run_together(work_of_rows(), [&](std::size_t member, std::size_t n_members) {
    try {
      if (member == 0) keeper_.begin_root(fresh, ticks.is_short, n_members);
      barrier_.wait(n_members);
      for (std::size_t block; (block = blocks.take()) < tree_.blocks().n_blocks();) {
        team_.stop().throw_if_requested();
        keeper_.fill_root(block, member, n_members, gradients_, ticks.quantiser, tree_, fresh);
      }
      barrier_.wait(n_members);
      if (member == 0) keeper_.set_root_sums(fresh, n_members);
      for (std::size_t group; (group = groups.take()) < keeper_.groups().size();) {
        keeper_.merge(group, fresh, n_members);
      }
    } catch (...) {
      barrier_.break_up();
      throw;
    }
  });
  keeper_.forget_filled();
  exchange_cells();
  search();
}

// Splits leaves that may turn out to be leaves of the tree, and finds the best tests of their children.
template <class Ticks>
void SharedGrower<Ticks>::open_batch(const std::vector<NodeId>& nodes) {
  batch_.resize(nodes.size());
  counts_.assign(nodes.size(), CodeCounts{});
  const std::size_t few = kTimesLeastRows * static_cast<std::size_t>(plan_.min_rows_leaf);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    OpenLeaf& parent = order_.leaf(nodes[i]);
    FreshLeaves<Ticks>& fresh = batch_[i];
    const NodeId first = tree_.split(nodes[i], parent.best);
    order_.set_opened(nodes[i], first);
    fresh.leaves = child_leaves(parent, first, plan_, scores_, draws_);
    // By hessians, which everybody knows already: the trees do not depend on which one is filled.
    fresh.small = fresh.leaves[1].sums.hessian < fresh.leaves[0].sums.hessian ? 1 : 0;
    fresh.fills = false;
    for (OpenLeaf& child : fresh.leaves) {
      tree_.set_bounds(child.node, child.bounds);
      child.rows = std::numeric_limits<std::size_t>::max();  // nobody knows yet
      fresh.fills |= chooser_.may_split(child, scores_.hessian(child.sums));
    }
    if (fresh.fills) {
      fresh.smaller().histogram = keeper_.acquire();
      fresh.larger().histogram = parent.histogram;
    } else {
      keeper_.release(parent.histogram);
    }
    counts_[i].are_known = fresh.fills && searcher_.may_doubt() && parent.rows <= few;
    parent.histogram = kNoHistogram;
  }
  divide(nodes);
  fill();
  count_codes();
  exchange_cells();
  search();
}

template <class Ticks>
void SharedGrower<Ticks>::divide(std::span<const NodeId> nodes) {
  team_.parallel_for(tree_.blocks().n_blocks(), data_.n_rows * 2, [&](std::size_t block, int worker) {
    for (const NodeId node : nodes) {
      tree_.divide(node, block, spare_[static_cast<std::size_t>(worker)].data());
    }
  });
}

// The smaller children, one after the other: threads have room for the cells of one.
template <class Ticks>
void SharedGrower<Ticks>::fill() {
  std::size_t work = 0;
  for (FreshLeaves<Ticks>& fresh : batch_) {
    for (OpenLeaf& child : fresh.leaves) child.rows = tree_.ranges().rows(child.node);
    if (fresh.fills) work += fresh.smaller().rows * keeper_.groups().size();
  }
  std::vector<WorkCounter> blocks(batch_.size()), groups(batch_.size());
  team_.run_together(work, [&](std::size_t member, std::size_t n_members) {
    try {
      for (std::size_t i = 0; i < batch_.size(); ++i) {
        if (!batch_[i].fills) continue;
        team_.stop().throw_if_requested();
        keeper_.fill_small(batch_[i], tree_, blocks[i], member, n_members);
        barrier_.wait(n_members);
        for (std::size_t group; (group = groups[i].take()) < keeper_.groups().size();) {
          keeper_.merge(group, batch_[i], n_members);
        }
        barrier_.wait(n_members);
        if (member == 0) keeper_.forget_filled();
        barrier_.wait(n_members);
      }
    } catch (...) {
      barrier_.break_up();
      throw;
    }
  });
}

template <class Ticks>
void SharedGrower<Ticks>::count_codes() {
  const std::size_t n_columns = data_.columns.size();
  for (CodeCounts& counts : counts_) {
    if (!counts.are_known) continue;
    for (std::vector<std::uint32_t>& rows : counts.rows) rows.resize(first_count_.back());
  }
  team_.parallel_for(counts_.size() * n_columns, data_.n_rows, [&](std::size_t i, int) {
    CodeCounts& counts = counts_[i / n_columns];
    for (std::size_t branch = 0; counts.are_known && branch < 2; ++branch) {
      const NodeId node = batch_[i / n_columns].leaves[branch].node;
      const std::vector<std::uint32_t> found = tree_.count_codes(node, static_cast<FeatureId>(i % n_columns));
      std::copy(found.begin(), found.end(), &counts.rows[branch][first_count_[i % n_columns]]);
    }
  });
}

template <class Ticks>
std::span<const std::uint32_t> SharedGrower<Ticks>::counts_of(const std::vector<std::uint32_t>& rows,
                                                              FeatureId feature) const {
  const auto f = static_cast<std::size_t>(feature);
  return std::span(rows).subspan(first_count_[f], first_count_[f + 1] - first_count_[f]);
}

namespace {

// Two counts in one number: the rows of few do not overflow half of it.
void append_pairs(const std::vector<std::uint32_t>& counts, std::vector<std::int64_t>& to) {
  for (std::size_t i = 0; i < counts.size(); i += 2) {
    const std::int64_t second = i + 1 < counts.size() ? counts[i + 1] : 0;
    to.push_back(second << 32 | counts[i]);
  }
}

const std::int64_t* read_pairs(const std::int64_t* from, std::vector<std::uint32_t>& counts) {
  for (std::size_t i = 0; i < counts.size(); i += 2, ++from) {
    counts[i] = static_cast<std::uint32_t>(*from & 0xFFFFFFFF);
    if (i + 1 < counts.size()) counts[i + 1] = static_cast<std::uint32_t>(*from >> 32);
  }
  return from;
}

}  // namespace

// The one message of a batch: cells, rows, rows by code of small leaves and, of the root, sums.
template <class Ticks>
void SharedGrower<Ticks>::exchange_cells() {
  message_.clear();
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    FreshLeaves<Ticks>& fresh = batch_[i];
    if (!fresh.fills) continue;
    const std::span<std::int64_t> cells = keeper_.numbers(fresh);
    message_.insert(message_.end(), cells.begin(), cells.end());
    for (const OpenLeaf& leaf : fresh.leaves) message_.push_back(static_cast<std::int64_t>(leaf.rows));
    for (const std::vector<std::uint32_t>& rows : counts_[i].rows) append_pairs(rows, message_);
    if (!fresh.is_root()) continue;
    message_.push_back(fresh.leaves.front().sums.gradient);
    message_.push_back(fresh.leaves.front().sums.hessian);
  }
  if (message_.empty()) return;
  others_.add_up(message_);
  const std::int64_t* next = message_.data();
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    FreshLeaves<Ticks>& fresh = batch_[i];
    if (!fresh.fills) continue;
    const std::span<std::int64_t> cells = keeper_.numbers(fresh);
    std::copy_n(next, cells.size(), cells.begin());
    next += cells.size();
    for (OpenLeaf& leaf : fresh.leaves) leaf.rows = static_cast<std::size_t>(*next++);
    for (std::vector<std::uint32_t>& rows : counts_[i].rows) next = read_pairs(next, rows);
    if (!fresh.is_root()) continue;
    fresh.leaves.front().sums = {next[0], next[1]};
    next += 2;
  }
}

template <class Ticks>
void SharedGrower<Ticks>::search() {
  for (FreshLeaves<Ticks>& fresh : batch_) {
    fresh.searches = {};
    for (std::size_t i = 0; fresh.fills && i < fresh.leaves.size(); ++i) {
      const OpenLeaf& leaf = fresh.leaves[i];
      fresh.searches[i] = chooser_.may_split(leaf, scores_.hessian(leaf.sums));
    }
    searcher_.begin(fresh);
  }
  const std::size_t n_groups = keeper_.groups().size();
  team_.parallel_for(batch_.size() * n_groups, batch_.size() * keeper_.groups().n_cells() * 16,
                     [&](std::size_t i, int worker) {
                       FreshLeaves<Ticks>& fresh = batch_[i / n_groups];
                       if (!fresh.fills) return;
                       keeper_.subtract(i % n_groups, fresh);
                       searcher_.search_group(keeper_.groups()[i % n_groups], fresh, 0,
                                              static_cast<std::size_t>(worker));
                     });
  for (FreshLeaves<Ticks>& fresh : batch_) {
    for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
      if (fresh.searches[i]) chooser_.mark_hopeless(fresh.leaves[i], fresh.found[i].candidates);
    }
  }
  settle_doubts();
  make_known();
}

// Where the hessian of a leaf's best test leaves it in doubt whether both sides have enough rows, they are
// counted: for all leaves of the batch, and all columns that may take the lead, in one exchange. Small leaves
// know already.
template <class Ticks>
void SharedGrower<Ticks>::settle_doubts() {
  std::vector<Doubt> counted;
  for (;;) {
    std::vector<Doubt> asked;
    for (std::size_t f = 0; f < batch_.size(); ++f) {
      for (std::size_t i = 0; i < batch_[f].leaves.size(); ++i) {
        if (batch_[f].searches[i]) settle_leaf(f, i, counted, asked);
      }
    }
    if (asked.empty()) return;
    std::vector<std::int64_t> numbers;
    for (const Doubt& doubt : asked) numbers.insert(numbers.end(), doubt.counts.begin(), doubt.counts.end());
    others_.add_up(numbers);
    const std::int64_t* next = numbers.data();
    for (Doubt& doubt : asked) {
      for (std::uint32_t& count : doubt.counts) count = static_cast<std::uint32_t>(*next++);
      counted.push_back(std::move(doubt));
    }
  }
}

// Goes on until the leading test is certain, or rows must be counted that nobody has counted.
template <class Ticks>
void SharedGrower<Ticks>::settle_leaf(std::size_t f, std::size_t i, const std::vector<Doubt>& counted,
                                      std::vector<Doubt>& asked) {
  FreshLeaves<Ticks>& fresh = batch_[f];
  const OpenLeaf& leaf = fresh.leaves[i];
  const LeafSearch& found = fresh.found[i];
  for (;;) {
    const FeatureId leader = searcher_.leading(found, leaf, draws_.order());
    if (leader == kNoFeature || !searcher_.is_in_doubt(found, leaf, leader)) return;
    if (counts_[f].are_known) {
      searcher_.settle(i, fresh, leader, counts_of(counts_[f].rows[i], leader));
      continue;
    }
    const auto known = std::find_if(counted.begin(), counted.end(), [&](const Doubt& doubt) {
      return doubt.fresh == f && doubt.leaf == i && doubt.feature == leader;
    });
    if (known == counted.end()) break;
    searcher_.settle(i, fresh, leader, known->counts);
  }
  double certain = 0;  // the best gain that nobody doubts
  for (const SplitChoice& choice : found.candidates) {
    if (choice && !searcher_.is_in_doubt(found, leaf, choice.feature)) {
      certain = std::max(certain, choice.gain);
    }
  }
  for (const SplitChoice& choice : found.candidates) {
    if (!choice || !searcher_.is_in_doubt(found, leaf, choice.feature) || choice.gain < certain) continue;
    asked.push_back({f, i, choice.feature, tree_.count_codes(leaf.node, choice.feature)});
  }
}

template <class Ticks>
void SharedGrower<Ticks>::make_known() {
  for (FreshLeaves<Ticks>& fresh : batch_) {
    for (std::size_t i = 0; i < fresh.leaves.size(); ++i) {
      OpenLeaf& leaf = fresh.leaves[i];
      if (fresh.searches[i]) {
        const FeatureId leader = searcher_.leading(fresh.found[i], leaf, draws_.order());
        if (leader != kNoFeature) leaf.best = fresh.found[i].candidates[static_cast<std::size_t>(leader)];
      }
      if (leaf.histogram != kNoHistogram && !chooser_.is_worth_splitting(leaf)) {
        keeper_.release(leaf.histogram);
        leaf.histogram = kNoHistogram;
      }
      order_.add(std::move(leaf));
    }
  }
}

template <class Ticks>
BoostedTree SharedGrower<Ticks>::finished() {
  std::vector<NodeId> last;  // the split that fills the tree
  for (const NodeId node : order_.splits()) {
    if (order_.is_opened(node)) continue;
    const OpenLeaf& leaf = order_.leaf(node);
    const std::vector<OpenLeaf> children =
        child_leaves(leaf, tree_.split(node, leaf.best), plan_, scores_, draws_);
    for (const OpenLeaf& child : children) tree_.set_bounds(child.node, child.bounds);
    last.push_back(node);
  }
  divide(last);
  const std::vector<NodeId> kept = tree_.keep_splits(order_.splits(), team_);
  tree_.begin_sums();
  team_.parallel_for(tree_.blocks().n_blocks(), data_.n_rows * 2,
                     [&](std::size_t block, int) { tree_.add_sums(block, gradients_); });
  std::vector<double> numbers(tree_.sums().begin(), tree_.sums().end());
  for (std::size_t node = 0; node < tree_.size(); ++node) {
    numbers.push_back(static_cast<double>(tree_.ranges().rows(static_cast<NodeId>(node))));
  }
  others_.gather(numbers);
  std::copy_n(numbers.begin(), tree_.sums().size(), tree_.sums().begin());
  const std::span<const double> rows = std::span(numbers).subspan(tree_.sums().size());
  for (std::size_t node = 0; node < tree_.size(); ++node) {
    tree_.set_rows(static_cast<NodeId>(node), static_cast<std::size_t>(rows[node]));
  }
  // Where nothing is known of missing values they follow the larger side.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (order_.leaf(order_.splits()[i]).best.missing_known) continue;
    tree_.set_missing(kept[i], rows[2 * i + 2] > rows[2 * i + 1]);
  }
  const double gamma = std::max(plan_.min_gain, gradients_.chance_gain);
  return tree_.finish(scores_, plan_.order == BoostOrder::kDepthWise ? gamma : 0.0);
}

template class SharedGrower<PackedTicks>;
template class SharedGrower<WideTicks>;

}  // namespace treewright
