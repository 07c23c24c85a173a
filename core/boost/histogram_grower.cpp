#include "boost/histogram_grower.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/random.h"
#include "boost/fill.h"
#include "boost/node_scores.h"
#include "grow/sampler.h"

namespace treewright {

namespace {

constexpr std::size_t kNoLeaf = static_cast<std::size_t>(-1);

}  // namespace

template <class Steps>
HistogramGrower<Steps>::HistogramGrower(const Dataset& data, const BoostPlan& plan, Team& team)
    : data_(data),
      plan_(plan),
      team_(team),
      groups_(data, plan.share_codes, plan.min_rows_category,
              std::is_same_v<Steps, PackedSteps> ? RowBlocks::rows_per_block(data.n_rows) : 0, team),
      records_(data, groups_, team),
      histograms_(groups_.n_cells()),
      draws_(plan, data.n_features()),
      place_(data.columns.size(), {kNoLeaf, 0}),
      tree_(data) {
  for (int i = 0; i < team.size(); ++i) {
    members_.push_back(std::make_unique<Member>(plan, scores_, team.size() == 1 ? 0 : groups_.n_cells(),
                                                groups_.n_short() * ColumnGroups::kNarrowStride));
  }
  sizes_.resize(tree_.blocks().n_blocks());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t m = 0; m < groups_[g].members.size(); ++m) {
      place_[static_cast<std::size_t>(groups_[g].members[m].column)] = {g, m};
    }
  }
  const auto rows = static_cast<std::int64_t>(std::max<std::size_t>(data.n_rows, 1));
  most_steps_ = std::min(Steps::kMostSteps, Steps::kMostSum / rows - 1);
}

template <class Steps>
BoostedTree HistogramGrower<Steps>::grow(const Gradients& gradients, std::uint64_t round,
                                         std::size_t output) {
  gradients_ = gradients;
  gamma_ = std::max(plan_.min_gain, gradients.chance_gain);
  key_ = mix_bits(plan_.seed + mix_bits(round * 0x9E3779B97F4A7C15U + output));
  tree_.begin();
  open_.clear();
  fresh_.clear();
  histograms_.release_all();
  draws_.begin_tree(key_);
  n_leaves_ = 1;
  done_ = false;
  for (Counter* counter : {&measured_, &rooted_, &divided_, &filled_, &searched_, &renewed_})
    counter->reset();
  team_.run_together(data_.n_rows * (groups_.size() + 4), [&](std::size_t member, std::size_t n_members) {
    try {
      grow_together(member, n_members);
    } catch (...) {
      barrier_.break_up();
      throw;
    }
  });
  return tree_.finish(scores_, plan_.order == BoostOrder::kDepthWise ? gamma_ : 0.0);
}

template <class Steps>
void HistogramGrower<Steps>::grow_together(std::size_t member, std::size_t n_members) {
  Member& me = *members_[member];
  const std::size_t n_blocks = tree_.blocks().n_blocks();
  const auto meet = [&] { barrier_.wait(n_members); };

  for (std::size_t block; (block = measured_.take()) < n_blocks;) measure(block, me);
  meet();
  if (member == 0) set_units(n_members);
  meet();
  me.sums = {};
  me.rows = 0;
  Cell* cells = n_members == 1 ? histograms_.cells(fresh_[0].histogram) : me.cells.data();
  for (std::size_t block; (block = rooted_.take()) < n_blocks;) fill_root(block, cells, me);
  meet();
  if (member == 0) open_root(n_members);
  meet();
  for (;;) {
    for (std::size_t group; (group = searched_.take()) < groups_.size();) search_group(group, me, n_members);
    meet();
    if (member == 0) decide();
    meet();
    if (done_) break;
    if (is_divided_) continue;
    for (std::size_t block; (block = divided_.take()) < n_blocks;)
      tree_.divide(parent_.node, block, me.spare.data());
    meet();
    if (member == 0) count_children();
    meet();
    if (!fills_ || by_columns_) continue;
    fill_small(member, n_members);
    meet();
  }
  for (std::size_t block; (block = renewed_.take()) < n_blocks;) tree_.add_sums(block, gradients_);
}

// --- the root ---------------------------------------------------------------------------------------------

template <class Steps>
void HistogramGrower<Steps>::measure(std::size_t block, Member& me) {
  team_.stop().throw_if_requested();
  const std::size_t first = tree_.blocks().first_row(block), end = tree_.blocks().end_row(block);
  sizes_[block] = {};
  for (std::size_t tile = first; tile < end; tile += kTile) {
    const std::size_t n = std::min(end - tile, kTile);
    const auto [g, h] = seen_gradients(tile, n, me);
    sizes_[block].add(g, h, n);
  }
}

// Gradients and hessians of n rows as the round counts them: 0 where it does not see the row.
template <class Steps>
std::pair<const float*, const float*> HistogramGrower<Steps>::seen_gradients(std::size_t row, std::size_t n,
                                                                             Member& me) const {
  const float* g = gradients_.gradient.data() + row;
  const float* h = gradients_.hessian.data() + row;
  if (gradients_.sample.empty()) return {g, h};
  const std::uint8_t* flags = gradients_.sample.data() + row;
  const float factor = gradients_.factor;
  for (std::size_t i = 0; i < n; ++i) {
    const float times = flags[i] == 2 ? factor : flags[i] == 1 ? 1.0F : 0.0F;
    me.gradients[i] = g[i] * times;
    me.hessians[i] = h[i] * times;
  }
  return {me.gradients.data(), me.hessians.data()};
}

template <class Steps>
void HistogramGrower<Steps>::set_units(std::size_t n_members) {
  GradientSizes sizes;
  for (const GradientSizes& of_block : sizes_) sizes.add(of_block);  // in order: the same every time
  const bool equal = gradients_.equal_hessians && gradients_.factor == 1.0F;
  const std::int64_t short_steps =
      groups_.n_short() == 0 ? 0 : std::min(most_steps_, most_short_steps(groups_.crowd()));
  is_short_ = short_steps > 0 && sizes.allow_steps(short_steps, equal);
  round_steps_ = is_short_ ? short_steps : most_steps_;
  quantiser_ = Quantiser(sizes.largest_gradient(), sizes.largest_hessian(), equal, round_steps_, key_);
  scores_ = NodeScores(plan_, quantiser_.units());
  min_hessian_ = std::max(1.0, plan_.min_hessian_leaf / quantiser_.units().hessian);
  if (quantiser_.counts_rows()) {
    min_hessian_ = std::max(min_hessian_, static_cast<double>(plan_.min_rows_leaf));
  }
  OpenLeaf root;
  root.key = key_;
  root.histogram = histograms_.acquire();
  if (n_members == 1) histograms_.clear(root.histogram);
  fresh_.push_back(std::move(root));
}

template <class Steps>
void HistogramGrower<Steps>::move_short(Member& me, Cell* cells) {
  if constexpr (std::is_same_v<Steps, PackedSteps>) {
    move_short_cells(me.short_cells.data(), me.short_cells.size(), cells);
  }
}

template <class Steps>
void HistogramGrower<Steps>::fill_root(std::size_t block, Cell* cells, Member& me) {
  team_.poll();
  const std::size_t first = tree_.blocks().first_row(block), end = tree_.blocks().end_row(block);
  std::uint16_t* ids = tree_.blocks().ids(block);
  const RowFiller<Steps> filler(records_, groups_, cells, is_short_ ? me.short_cells.data() : nullptr);
  Cell sum{};
  std::size_t n = 0;
  for (std::size_t tile = first; tile < end; tile += kTile) {
    const std::size_t size = std::min(end - tile, kTile);
    const auto [g, h] = seen_gradients(tile, size, me);
    quantiser_.steps_of_rows(g, h, tile, size, me.steps.data());
    std::uint16_t* seen = me.spare.data();  // listed without a branch: which rows are seen is chance
    std::size_t n_seen = 0;
    for (std::size_t i = 0; i < size; ++i) {
      seen[n_seen] = static_cast<std::uint16_t>(i);
      n_seen += gradients_.sees(tile + i) ? 1 : 0;
    }
    filler.add_new(tile, seen, n_seen, me.steps.data());
    for (std::size_t i = 0; i < n_seen; ++i) {
      ids[n++] = static_cast<std::uint16_t>(tile - first + seen[i]);
      sum += Steps::cell(me.steps[seen[i]]);
    }
  }
  if (is_short_) move_short(me, cells);
  tree_.ranges().at(0, block) = {0, static_cast<std::uint32_t>(n)};
  me.sums = me.sums + Steps::sums(sum);
  me.rows += n;
  me.has_filled = true;
}

template <class Steps>
void HistogramGrower<Steps>::open_root(std::size_t n_members) {
  OpenLeaf& root = fresh_[0];
  for (std::size_t i = 0; i < n_members; ++i) {
    root.sums = root.sums + members_[i]->sums;
    root.rows += members_[i]->rows;
  }
  root.columns = draws_.columns(root.depth, root.key, root.path);
  tree_.count_rows(0);
  fills_ = true;
  by_columns_ = false;
  searches_ = {may_split(root), false};
  begin_search();
}

// --- decisions --------------------------------------------------------------------------------------------

template <class Steps>
void HistogramGrower<Steps>::decide() {
  team_.poll();
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    OpenLeaf& leaf = fresh_[i];
    if (searches_[i]) {
      if (plan_.drop_hopeless) mark_hopeless(leaf, candidates_[i]);
      leaf.best = chosen(i);
    }
    const bool stays = leaf.best && leaf.best.gain > least_gain();
    if (leaf.histogram != kNoHistogram && (!stays || has_few_rows(leaf))) {
      histograms_.release(leaf.histogram);
      leaf.histogram = kNoHistogram;
    }
    if (stays) open_.push_back(std::move(leaf));
  }
  fresh_.clear();
  const std::size_t next = n_leaves_ < plan_.max_leaves ? next_leaf() : kNoLeaf;
  done_ = next == kNoLeaf;
  if (done_) {
    tree_.begin_sums();
  } else {
    begin_split(next);
    // Few rows are sooner divided by one thread than by several that wait for each other.
    is_divided_ = parent_.histogram == kNoHistogram;
    if (is_divided_) divide_alone();
  }
  for (const auto& member : members_) member->has_filled = false;
  for (Counter* counter : {&divided_, &filled_, &searched_}) counter->reset();
}

// The leaf-wise booster refuses splits that do not pay; the depth-wise one makes them and prunes later,
// because what follows them may pay for both.
template <class Steps>
double HistogramGrower<Steps>::least_gain() const {
  return plan_.order == BoostOrder::kLeafWise ? std::max(gamma_, 0.0) : 0.0;
}

template <class Steps>
void HistogramGrower<Steps>::mark_hopeless(OpenLeaf& leaf, const std::vector<SplitChoice>& candidates) const {
  const std::vector<char> before = std::move(leaf.hopeless);
  leaf.hopeless.assign(candidates.size(), 0);
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    const bool was_asked = leaf.columns.empty() || leaf.columns[f] != 0;
    const bool found = candidates[f] && candidates[f].gain > least_gain();
    leaf.hopeless[f] = (was_asked && !found) || (!before.empty() && before[f] != 0) ? 1 : 0;
  }
}

template <class Steps>
std::size_t HistogramGrower<Steps>::next_leaf() const {
  std::size_t best = kNoLeaf;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (best == kNoLeaf) {
      best = i;
    } else if (plan_.order == BoostOrder::kLeafWise) {
      if (open_[i].best.gain > open_[best].best.gain) best = i;
    } else if (open_[i].depth < open_[best].depth) {
      best = i;
    }
  }
  return best;
}

template <class Steps>
SplitChoice HistogramGrower<Steps>::chosen(std::size_t fresh) {
  const OpenLeaf& leaf = fresh_[fresh];
  std::vector<SplitChoice>& candidates = candidates_[fresh];
  // Gradients have single precision: columns whose gains differ by less are equally good.
  constexpr double kTie = 1e-7;
  std::vector<char> counted;
  for (;;) {
    std::size_t best = candidates.size();
    for (std::size_t f = 0; f < candidates.size(); ++f) {
      if (!candidates[f]) continue;
      if (best == candidates.size() || candidates[f].gain > (1 + kTie) * candidates[best].gain) best = f;
    }
    if (best == candidates.size()) return {};
    if (!is_in_doubt(leaf, candidates[best]) || (!counted.empty() && counted[best])) return candidates[best];
    // Rows are counted only where the winner's hessian does not prove that there are enough.
    const auto feature = static_cast<FeatureId>(best);
    const auto least = static_cast<std::size_t>(plan_.min_rows_leaf);
    if (tree_.leaves_enough(leaf.node, CodeTest(data_.column(feature), candidates[best]), least)) {
      return candidates[best];
    }
    const std::vector<std::uint32_t> counts = tree_.count_codes(leaf.node, feature);
    counted.resize(candidates.size(), 0);
    counted[best] = 1;
    const auto [group, member] = place_[best];
    const GroupMember& place = groups_[group].members[member];
    const Cell* cells = column_cells(fresh, groups_[group], place, *members_[0]);
    candidates[best] = members_[0]->scan.search(data_.column(feature), feature, cells, scanned_[fresh],
                                                place.codes, counts.data());
  }
}

template <class Steps>
bool HistogramGrower<Steps>::is_in_doubt(const OpenLeaf& leaf, const SplitChoice& choice) const {
  if (plan_.min_rows_leaf <= 1 || quantiser_.counts_rows() || choice.rows_counted) return false;
  // No row has more than the largest hessian.
  const std::int64_t enough = plan_.min_rows_leaf * round_steps_;
  const StepSums right = leaf.sums - choice.left;
  return choice.left.hessian < enough || right.hessian < enough;
}

// --- a split ----------------------------------------------------------------------------------------------

template <class Steps>
void HistogramGrower<Steps>::begin_split(std::size_t leaf) {
  parent_ = std::move(open_[leaf]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(leaf));  // in order: ties go to the older leaf
  const NodeId first = tree_.split(parent_.node, parent_.best);
  ++n_leaves_;
  fresh_.assign(2, OpenLeaf{});
  const double left_value = scores_.value(parent_.best.left, parent_.bounds);
  const double right_value = scores_.value(parent_.sums - parent_.best.left, parent_.bounds);
  for (std::uint32_t branch = 0; branch < 2; ++branch) {
    OpenLeaf& child = fresh_[branch];
    child.node = first + static_cast<NodeId>(branch);
    child.depth = parent_.depth + 1;
    child.key = child_key(parent_.key, branch);
    child.sums = branch == 0 ? parent_.best.left : parent_.sums - parent_.best.left;
    child.bounds = parent_.bounds;
    child.hopeless = parent_.hopeless;
    if (!plan_.monotone.empty()) {
      const int sign = plan_.monotone[static_cast<std::size_t>(parent_.best.feature)];
      const double middle = (left_value + right_value) / 2;
      // The side that must not be above the middle, and the one that must not be below.
      if (sign != 0) ((sign > 0) == (branch == 0) ? child.bounds.upper : child.bounds.lower) = middle;
    }
    tree_.set_bounds(child.node, child.bounds);
    if (!plan_.interactions.empty()) {
      child.path = parent_.path;
      child.path.push_back(parent_.best.feature);
    }
    child.columns = draws_.columns(child.depth, child.key, child.path);
  }
}

template <class Steps>
void HistogramGrower<Steps>::divide_alone() {
  for (std::size_t block = 0; block < tree_.blocks().n_blocks(); ++block)
    tree_.divide(parent_.node, block, members_[0]->spare.data());
  count_children();
}

template <class Steps>
void HistogramGrower<Steps>::count_children() {
  for (OpenLeaf& child : fresh_) {
    child.rows = tree_.count_rows(child.node);
  }
  // Nothing is known of missing values here: they follow the larger side.
  if (!parent_.best.missing_known) tree_.set_missing(parent_.node, fresh_[1].rows > fresh_[0].rows);
  small_ = fresh_[1].rows < fresh_[0].rows ? 1 : 0;
  const bool last = n_leaves_ >= plan_.max_leaves;
  fills_ = false;
  for (std::size_t i = 0; i < 2; ++i) {
    searches_[i] = !last && may_split(fresh_[i]);
    fills_ |= searches_[i] && !has_few_rows(fresh_[i]);
  }
  if (fills_) {
    // The larger child takes over its parent's histogram, less what the smaller one holds.
    fresh_[small_].histogram = histograms_.acquire();
    fresh_[1 - small_].histogram = parent_.histogram;
  } else if (parent_.histogram != kNoHistogram) {
    histograms_.release(parent_.histogram);
  }
  by_columns_ = fills_ && fresh_[small_].rows <= kTimesFewRows * plan_.few_rows;
  begin_search();
}

template <class Steps>
void HistogramGrower<Steps>::begin_search() {
  candidates_.resize(fresh_.size());
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const OpenLeaf& leaf = fresh_[i];
    const bool is_listed = (searches_[i] && has_few_rows(leaf)) || (by_columns_ && i == small_);
    if (is_listed) few_[i].gather(tree_, leaf.node, records_);
    if (!searches_[i]) continue;
    candidates_[i].assign(data_.columns.size(), SplitChoice{});
    scanned_[i] = ScanNode(scores_, leaf.sums, leaf.rows, leaf.bounds, min_hessian_);
  }
}

template <class Steps>
bool HistogramGrower<Steps>::may_split(const OpenLeaf& leaf) const {
  if (leaf.depth >= plan_.max_depth) return false;
  if (leaf.rows < 2 * static_cast<std::size_t>(std::max<std::int64_t>(plan_.min_rows_leaf, 1))) return false;
  return scores_.hessian(leaf.sums) >= 2 * plan_.min_hessian_leaf;
}

template <class Steps>
void HistogramGrower<Steps>::fill_small(std::size_t member, std::size_t n_members) {
  const OpenLeaf& leaf = fresh_[small_];
  const bool alone = n_members == 1 || leaf.rows * groups_.size() < kAloneWork;
  if (alone && member != 0) return;
  Member& me = *members_[member];
  Cell* cells = me.cells.data();
  if (n_members == 1) {
    histograms_.clear(leaf.histogram);
    cells = histograms_.cells(leaf.histogram);
  }
  for (std::size_t block; (block = filled_.take()) < tree_.blocks().n_blocks();) {
    const BlockRange range = tree_.ranges().at(leaf.node, block);
    if (range.size() == 0) continue;
    const bool is_short = is_short_ && range.size() >= kShortRows;
    const RowFiller<Steps> filler(records_, groups_, cells, is_short ? me.short_cells.data() : nullptr);
    filler.add_rows(tree_.blocks().first_row(block), tree_.blocks().ids(block) + range.begin, range.size());
    if (is_short) move_short(me, cells);
    me.has_filled = true;
  }
}

// Looks for tests of the columns of one group.
template <class Steps>
void HistogramGrower<Steps>::search_group(std::size_t number, Member& me, std::size_t n_members) {
  const ColumnGroup& group = groups_[number];
  if (fills_) complete_cells(number, n_members);
  for (const GroupMember& member : group.members) {
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      const OpenLeaf& leaf = fresh_[i];
      const auto f = static_cast<std::size_t>(member.column);
      if (!searches_[i] || !leaf.may_use(f)) continue;
      const Cell* cells = column_cells(i, group, member, me);
      const Column& column = data_.column(member.column);
      const CodeSet* seen = nullptr;
      if (has_few_rows(leaf) && column.kind != ColumnKind::kNominal && column.width == 1 &&
          CodeSet::pays(leaf.rows, column.n_codes)) {
        few_[i].find_codes(column.codes<std::uint8_t>(), me.seen);
        seen = &me.seen;
      }
      candidates_[i][f] =
          me.scan.search(column, member.column, cells, scanned_[i], member.codes, nullptr, seen);
    }
  }
}

// Completes the cells of one group in the fresh histograms.
template <class Steps>
void HistogramGrower<Steps>::complete_cells(std::size_t number, std::size_t n_members) {
  const ColumnGroup& group = groups_[number];
  const bool is_root = fresh_.size() == 1;
  Cell* small = histograms_.cells(fresh_[is_root ? 0 : small_].histogram) + group.offset;
  if (by_columns_) {
    std::fill_n(small, group.n_cells, Cell{});
    few_[small_].fill(data_, group, number, records_, small);
  } else if (n_members > 1) {
    std::fill_n(small, group.n_cells, Cell{});
    for (std::size_t i = 0; i < n_members; ++i) {
      if (!members_[i]->has_filled) continue;
      Cell* part = members_[i]->cells.data() + group.offset;
      for (std::size_t c = 0; c < group.n_cells; ++c) {
        small[c] += part[c];
        part[c] = Cell{};  // ready for the next
      }
    }
  }
  if (is_root) return;
  Cell* large = histograms_.cells(fresh_[1 - small_].histogram) + group.offset;
  for (std::size_t c = 0; c < group.n_cells; ++c) large[c] = large[c] - small[c];
}

// The sums of a column's codes, or of its digits where rare categories share one, at a fresh leaf.
template <class Steps>
const typename Steps::Cell* HistogramGrower<Steps>::column_cells(std::size_t fresh, const ColumnGroup& group,
                                                                 const GroupMember& member, Member& me) {
  if (!fills_) return me.few.add_up(few_[fresh], data_.column(member.column), member);
  const Cell* cells = histograms_.cells(fresh_[fresh].histogram) + group.offset;
  if (group.is_single()) return member.merges_rare() ? cells : cells - member.first;
  me.single.assign(member.first + std::size_t{member.size}, Cell{});
  add_up_member(group, member, cells, me.single.data() + member.first);
  return me.single.data();
}

template class HistogramGrower<PackedSteps>;
template class HistogramGrower<WideSteps>;

}  // namespace treewright
