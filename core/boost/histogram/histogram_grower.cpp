#include "boost/histogram/histogram_grower.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "boost/histogram/child_leaves.h"
#include "boost/histogram/tree_ticks.h"

namespace treewright {

template <class Ticks>
HistogramGrower<Ticks>::HistogramGrower(const Dataset& data, const BoostPlan& plan, Team& team,
                                        std::size_t most_members)
    : data_(data),
      plan_(plan),
      team_(team),
      few_rows_(plan.few_rows),
      draws_(plan, data.n_features()),
      tree_(data, nullptr),
      keeper_(data, plan, nullptr, team, most_members),
      searcher_(data, plan, scores_, keeper_, most_members),
      chooser_(plan),
      members_(most_members) {
  for (Member& member : members_) member.spare.resize(RowBlocks::kMostRows + kSpareIds);
  sizes_.resize(tree_.blocks().n_blocks());
  most_ticks_ = TreeTicks::limit<Ticks>(data.n_rows);
}

template <class Ticks>
void HistogramGrower<Ticks>::begin_tree(const Gradients& gradients, std::uint64_t round, std::size_t output) {
  gradients_ = gradients;
  key_ = tree_key(plan_.seed, round, output);
  tree_.begin();
  keeper_.release_all();
}

template <class Ticks>
std::vector<SplitChoice> HistogramGrower<Ticks>::candidates(const Gradients& gradients, std::uint64_t round,
                                                            std::size_t output, std::span<const RowId> rows,
                                                            const ValueBounds& bounds) {
  begin_tree(gradients, round, output);
  for (std::size_t block = 0; block < tree_.blocks().n_blocks(); ++block) measure(block, 0);
  set_units(1);
  fresh_.fills = fresh_.by_columns = false;
  SmallNode<Ticks>& node = fresh_.rows.front();
  node.rows.assign(rows.begin(), rows.end());
  node.ticks.clear();
  typename Ticks::Cell sum{};
  for (const RowId row : rows) {
    typename Ticks::Stored ticks{};
    const auto [g, h] = members_.front().seen.of(gradients_, row, 1);
    quantiser_.ticks_of_rows(g, h, row, 1, &ticks);
    node.ticks.push_back(Ticks::cell(ticks));
    sum += node.ticks.back();
  }
  OpenLeaf& leaf = fresh_.leaves.front();
  leaf.rows = rows.size();
  leaf.sums = Ticks::sums(sum);
  leaf.bounds = bounds;
  fresh_.searches = {chooser_.may_split(leaf, scores_.hessian(leaf.sums)), false};
  if (!fresh_.searches.front()) return std::vector<SplitChoice>(data_.columns.size());
  searcher_.begin(fresh_);
  for (std::size_t group = 0; group < keeper_.groups().size(); ++group) {
    team_.poll();
    searcher_.search_group(keeper_.groups()[group], fresh_, few_rows_, 0);
  }
  return searcher_.best_of_columns(fresh_);
}

template <class Ticks>
BoostedTree HistogramGrower<Ticks>::grow(const Gradients& gradients, std::uint64_t round,
                                         std::size_t output) {
  begin_tree(gradients, round, output);
  const double gamma = std::max(plan_.min_gain, gradients.chance_gain);
  draws_.begin_tree(key_);
  chooser_.begin_tree(gamma);
  done_ = is_dismissed_ = false;
  began_ = Team::Clock::now();
  slept_ = {};
  for (WorkCounter* counter : {&measured_, &rooted_, &divided_, &filled_, &searched_, &renewed_})
    counter->reset();
  team_.run_together(data_.n_rows * (keeper_.groups().n_dense() + 4) + keeper_.entries().size(),
                     [&](std::size_t member, std::size_t n_members) {
                       try {
                         grow_together(member, n_members);
                       } catch (...) {
                         barrier_.break_up();
                         throw;
                       }
                     });
  return tree_.finish(scores_, plan_.order == BoostOrder::kDepthWise ? gamma : 0.0);
}

template <class Ticks>
void HistogramGrower<Ticks>::grow_together(std::size_t member, std::size_t n_members) {
  const std::size_t n_blocks = tree_.blocks().n_blocks(), n_groups = keeper_.groups().size();
  const auto meet = [&] {
    const Team::Clock::duration slept = barrier_.wait(n_members);
    if (member == 0) slept_ += slept;
  };
  // Member 0 while the others wait.
  const auto alone = [&](auto&& decision) {
    meet();
    if (member == 0) decision();
    meet();
  };

  for (std::size_t block; (block = measured_.take()) < n_blocks;) measure(block, member);
  alone([&] { set_units(n_members); });
  for (std::size_t block; (block = rooted_.take()) < n_blocks;) {
    team_.poll();
    keeper_.fill_root(block, member, n_members, gradients_, quantiser_, tree_, fresh_);
  }
  alone([&] { open_root(n_members); });
  for (;;) {
    for (std::size_t group; (group = searched_.take()) < n_groups;) {
      if (fresh_.fills) {
        keeper_.merge(group, fresh_, n_members);
        keeper_.subtract(group, fresh_);
      }
      searcher_.search_group(keeper_.groups()[group], fresh_, few_rows_, member);
    }
    alone([&] {
      decide();
      if (n_members > 1) dismiss_if_crowded();
    });
    if (done_) break;
    if (is_dismissed_) {
      if (member != 0) return;
      n_members = 1;
    }
    if (is_divided_) continue;
    for (std::size_t block; (block = divided_.take()) < n_blocks;)
      tree_.divide(parent_.node, block, members_[member].spare.data());
    alone([&] { count_children(); });
    if (!fresh_.fills || fresh_.by_columns) continue;
    keeper_.fill_small(fresh_, tree_, filled_, member, n_members);
    meet();
  }
  for (std::size_t block; (block = renewed_.take()) < n_blocks;) tree_.add_sums(block, gradients_);
}

// --- the root ---------------------------------------------------------------------------------------------

template <class Ticks>
void HistogramGrower<Ticks>::measure(std::size_t block, std::size_t member) {
  team_.stop().throw_if_requested();
  const std::size_t first = tree_.blocks().first_row(block), end = tree_.blocks().end_row(block);
  sizes_[block] = {};
  for (std::size_t tile = first; tile < end; tile += kTileRows) {
    const std::size_t n = std::min(end - tile, kTileRows);
    const auto [g, h] = members_[member].seen.of(gradients_, tile, n);
    sizes_[block].add(g, h, n);
  }
}

template <class Ticks>
void HistogramGrower<Ticks>::set_units(std::size_t n_members) {
  GradientSizes sizes;
  for (const GradientSizes& of_block : sizes_) sizes.add(of_block);  // in order: the same every time
  const TreeTicks ticks(sizes, gradients_, keeper_.groups(), most_ticks_, key_);
  quantiser_ = ticks.quantiser;
  scores_ = NodeScores(plan_, quantiser_.units());
  searcher_.begin_tree(quantiser_.counts_rows(), ticks.most);
  fresh_.leaves.assign(1, OpenLeaf{});
  fresh_.leaves.front().key = key_;
  fresh_.small = 0;
  keeper_.begin_root(fresh_, ticks.is_short, n_members);
}

template <class Ticks>
void HistogramGrower<Ticks>::open_root(std::size_t n_members) {
  keeper_.set_root_sums(fresh_, n_members);
  OpenLeaf& root = fresh_.leaves.front();
  root.columns = draws_.columns(root.depth, root.key, root.path);
  tree_.set_rows(0, root.rows);
  fresh_.fills = true;
  fresh_.by_columns = false;
  fresh_.searches = {chooser_.may_split(root, scores_.hessian(root.sums)), false};
  begin_search();
}

// --- decisions --------------------------------------------------------------------------------------------

template <class Ticks>
void HistogramGrower<Ticks>::decide() {
  team_.poll();
  for (std::size_t i = 0; i < fresh_.leaves.size(); ++i) {
    OpenLeaf& leaf = fresh_.leaves[i];
    if (fresh_.searches[i]) {
      chooser_.mark_hopeless(leaf, fresh_.found[i].candidates);
      leaf.best = searcher_.best(i, fresh_, tree_, draws_.order());
    }
    const bool stays = chooser_.is_worth_splitting(leaf);
    if (leaf.histogram != kNoHistogram && (!stays || has_few_rows(leaf))) {
      keeper_.release(leaf.histogram);
      leaf.histogram = kNoHistogram;
    }
    if (stays) chooser_.add(std::move(leaf));
  }
  std::optional<OpenLeaf> next = chooser_.take();
  done_ = !next;
  if (done_) {
    tree_.begin_sums();
  } else {
    parent_ = std::move(*next);
    begin_split();
    // One thread divides few rows in less time than several threads need to wait for each other.
    is_divided_ = parent_.histogram == kNoHistogram;
    if (is_divided_) divide_alone();
  }
  keeper_.forget_filled();
  for (WorkCounter* counter : {&divided_, &filled_, &searched_}) counter->reset();
}

// A thread that has to wait for a processor holds up all others, at every barrier. The trees do not depend on
// how many threads there are, so the rest of this one, and the next ones, are then grown by member 0.
template <class Ticks>
void HistogramGrower<Ticks>::dismiss_if_crowded() {
  constexpr auto kNothing = std::chrono::milliseconds(2);
  if (slept_ < kNothing || 2 * slept_ < Team::Clock::now() - began_) return;
  is_dismissed_ = true;
  team_.note_loss(slept_);
}

template <class Ticks>
void HistogramGrower<Ticks>::begin_split() {
  const NodeId first = tree_.split(parent_.node, parent_.best);
  fresh_.leaves = child_leaves(parent_, first, plan_, scores_, draws_);
  for (const OpenLeaf& child : fresh_.leaves) tree_.set_bounds(child.node, child.bounds);
}

template <class Ticks>
void HistogramGrower<Ticks>::divide_alone() {
  for (std::size_t block = 0; block < tree_.blocks().n_blocks(); ++block)
    tree_.divide(parent_.node, block, members_[0].spare.data());
  count_children();
}

template <class Ticks>
void HistogramGrower<Ticks>::count_children() {
  std::array<std::size_t, 2> rows{};
  for (std::size_t i = 0; i < 2; ++i) {
    OpenLeaf& child = fresh_.leaves[i];
    rows[i] = child.rows = tree_.ranges().rows(child.node);
    tree_.set_rows(child.node, child.rows);
  }
  // Nothing is known of missing values here: they follow the larger side.
  if (!parent_.best.missing_known) tree_.set_missing(parent_.node, rows[1] > rows[0]);
  fresh_.small = rows[1] < rows[0] ? 1 : 0;
  fresh_.fills = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const OpenLeaf& child = fresh_.leaves[i];
    fresh_.searches[i] = !chooser_.is_full() && chooser_.may_split(child, scores_.hessian(child.sums));
    fresh_.fills |= fresh_.searches[i] && !has_few_rows(child);
  }
  if (fresh_.fills) {
    // The larger child takes over its parent's histogram, less what the smaller one holds.
    fresh_.smaller().histogram = keeper_.acquire();
    fresh_.larger().histogram = parent_.histogram;
  } else if (parent_.histogram != kNoHistogram) {
    keeper_.release(parent_.histogram);
  }
  fresh_.by_columns = fresh_.fills && fresh_.smaller().rows <= kTimesFewRows * few_rows_;
  begin_search();
}

template <class Ticks>
void HistogramGrower<Ticks>::begin_search() {
  for (std::size_t i = 0; i < fresh_.leaves.size(); ++i) {
    const OpenLeaf& leaf = fresh_.leaves[i];
    const bool is_listed =
        (fresh_.searches[i] && has_few_rows(leaf)) || (fresh_.by_columns && i == fresh_.small);
    if (is_listed) fresh_.rows[i].gather(tree_, leaf.node, keeper_.records(), keeper_.entries());
  }
  searcher_.begin(fresh_);
}

template class HistogramGrower<PackedTicks>;
template class HistogramGrower<WideTicks>;

}  // namespace treewright
