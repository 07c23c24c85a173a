#include "explain/attributions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace treewright {

namespace {

constexpr std::size_t kNumbersPerChunk = (std::size_t{32} << 20) / sizeof(double);

// All threads have something to do, if each has enough rows to share what is made for a block.
std::size_t rows_of_block(std::size_t n_rows, int n_threads) {
  constexpr std::size_t kFewest = 32;
  const std::size_t each = n_rows / static_cast<std::size_t>(n_threads) + 1;
  return std::clamp(each, kFewest, RowBlock<double>::kMostRows);
}

bool wants_table(const PatternGroup& group, std::size_t n_rows) {
  return n_rows >= group.n_states();
}

// Where the numbers of one row and one tree go.
struct RowTarget {
  double* out;
  std::size_t feature_step;
  std::size_t n_features;
};

void add_entry(const double* entry, std::span<const FeatureId> features, GroupEntry kind,
               std::size_t n_outputs, const RowTarget& to) {
  if (kind == GroupEntry::kShares) {
    if (n_outputs == 1) {
      for (std::size_t s = 0; s < features.size(); ++s) {
        to.out[static_cast<std::size_t>(features[s]) * to.feature_step] += entry[s];
      }
      return;
    }
    for (std::size_t s = 0; s < features.size(); ++s, entry += n_outputs) {
      double* out = to.out + static_cast<std::size_t>(features[s]) * to.feature_step;
      for (std::size_t k = 0; k < n_outputs; ++k) out[k] += entry[k];
    }
    return;
  }
  for (std::size_t b = 1; b < features.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a, entry += n_outputs) {
      const auto first = static_cast<std::size_t>(std::min(features[a], features[b]));
      const auto second = static_cast<std::size_t>(std::max(features[a], features[b]));
      double* out = to.out + (first * to.n_features + second) * to.feature_step;
      for (std::size_t k = 0; k < n_outputs; ++k) out[k] += entry[k];
    }
  }
}

}  // namespace

Attributions::Attributions(std::size_t n_features, std::size_t n_outputs)
    : n_features_(n_features), n_outputs_(n_outputs) {}

void Attributions::add(GameTree tree, std::size_t first_output) {
  if (first_output + tree.n_outputs() > n_outputs_) {
    throw std::invalid_argument("A tree adds to an output that there is not.");
  }
  PatternGroups groups(tree);
  LeafBundles bundles(tree, groups.has_deep_leaves());
  PatternGroups long_leaves =
      PatternGroups::of_leaves(tree, groups.has_deep_leaves(), LongPaths::kMostFeatures);
  const auto quadrature = [this](std::size_t n) { return &quadratures_.try_emplace(n, n).first->second; };
  std::vector<const Quadrature*> pass_points;
  for (const BundlePass& pass : bundles.passes()) pass_points.push_back(quadrature(pass.n_points));
  const Quadrature* points = quadrature(Quadrature::points_for(tree.most_places()));
  std::vector<FeatureId> both;
  std::set_union(used_.begin(), used_.end(), tree.tested().begin(), tree.tested().end(),
                 std::back_inserter(both));
  used_.swap(both);
  n_edges_ += tree.edges().size();
  mirrors_ = mirrors_ && tree.mirrors() && tree.n_outputs() == n_outputs_;
  members_.push_back({std::move(tree), std::move(groups), std::move(bundles), std::move(long_leaves),
                      first_output, points, std::move(pass_points)});
}

std::vector<double> Attributions::base() const {
  std::vector<double> sum(n_outputs_, 0.0);
  for (const Member& member : members_) {
    const std::vector<double> own = member.tree.base();
    for (std::size_t k = 0; k < own.size(); ++k) sum[member.first_output + k] += own[k];
  }
  return sum;
}

// The trees whose tables are held at the same time.
std::size_t Attributions::end_of_chunk(std::size_t begin, GroupEntry kind, std::size_t n_rows) const {
  std::size_t n_numbers = 0, end = begin;
  for (; end < members_.size(); ++end) {
    for (const PatternGroup& group : members_[end].groups.groups()) {
      if (!wants_table(group, n_rows)) continue;
      n_numbers += group.n_states() * entry_slots(group, kind) * members_[end].tree.n_outputs();
    }
    if (n_numbers > kNumbersPerChunk && end > begin) break;
  }
  return end;
}

const std::vector<PatternTables>* Attributions::kept_tables(std::size_t n_rows) const {
  constexpr std::size_t kFewRows = 128, kEnoughRows = 64, kMostStates = 1024;
  constexpr std::size_t kMostNumbers = (std::size_t{48} << 20) / sizeof(double);
  if (n_rows >= kFewRows || members_.empty()) return nullptr;
  const std::lock_guard lock(keeping_);
  if (!kept_.empty()) return &kept_;
  n_rows_asked_ += n_rows;
  if (n_rows_asked_ < kEnoughRows) return nullptr;
  n_rows_asked_ = 0;
  std::size_t n_numbers = 0;
  const auto wanted = [](const PatternGroup& group) { return group.n_states() <= kMostStates; };
  for (const Member& member : members_) {
    for (const PatternGroup& group : member.groups.groups()) {
      if (wanted(group)) n_numbers += group.n_states() * group.n_slots * member.tree.n_outputs();
    }
  }
  if (n_numbers > kMostNumbers) return nullptr;
  std::vector<PatternTables> made;
  made.reserve(members_.size());
  for (const Member& member : members_) {
    made.emplace_back(member.tree, member.groups, PathEntries(member.tree, member.groups, pattern_points_),
                      GroupEntry::kShares, wanted);
  }
  kept_ = std::move(made);
  return &kept_;
}

template <class T>
void Attributions::add_groups(const Member& member, const PatternTables& tables, GroupEntry kind,
                              const RowBlock<T>& rows, std::span<const std::uint8_t> is_shared,
                              PatternWalk& walk, double* out) const {
  const std::size_t n_own = member.tree.n_outputs(), step = per_row(kind);
  const PathEntries entries(member.tree, member.groups, pattern_points_);
  std::vector<double> computed;
  walk.run(member.tree, member.groups, rows, [&](std::size_t g, const PatternWalk::Word* states) {
    const PatternGroup& group = member.groups.groups()[g];
    const std::span<const FeatureId> features = member.groups.features(group);
    const std::size_t width = entry_slots(group, kind) * n_own;
    const double* table = tables.of(g);
    if (table == nullptr) computed.resize(width);
    for (std::size_t r = 0; r < rows.n_rows(); ++r) {
      if (!is_shared.empty() && is_shared[r] != 0) continue;
      const double* entry = table == nullptr ? computed.data() : table + states[r] * width;
      if (table == nullptr)
        entries.write(group, kind, static_cast<std::uint32_t>(states[r]), computed.data());
      add_entry(entry, features, kind, n_own, {out + r * step, n_outputs_, n_features_});
    }
  });
}

template <class T>
void Attributions::add_bundles(const Member& member, const RowBlock<T>& rows,
                               std::span<const std::uint8_t> is_shared, const StopFlag& stop, BlockWalk& walk,
                               double* out) const {
  if (member.bundles.passes().empty()) return;
  walk.run(member.tree, member.bundles, member.pass_points, rows, stop,
           {out, per_row(GroupEntry::kShares), n_outputs_, n_computed(member.tree.n_outputs()), is_shared});
}

template <class T>
void Attributions::add_edges(const Member& member, GroupEntry kind, const RowBlock<T>& rows,
                             std::span<const std::uint8_t> is_shared, const Background* background,
                             const BackgroundOfTree* of_tree, const StopFlag& stop, EdgeWalk& walk,
                             double* out) const {
  const bool with_others = background != nullptr && kind == GroupEntry::kShares;
  const std::span<const std::uint8_t> all,
      deep = with_others ? member.long_leaves.has_deep_leaves() : member.groups.has_deep_leaves();
  const bool is_bundled = background == nullptr && kind == GroupEntry::kShares;
  const bool is_deep = deep[0] != 0 && !is_bundled;
  const std::size_t n_others = background == nullptr ? 0 : background->n_rows;
  std::vector<std::uint8_t> is_divided(n_others, 0);
  if (of_tree != nullptr) {
    for (const std::uint32_t b : of_tree->divided_rows) is_divided[b] = 1;
  }
  const bool any_divided = of_tree != nullptr && !of_tree->divided_rows.empty();
  const bool any_shared = std::find(is_shared.begin(), is_shared.end(), 1) != is_shared.end();
  if (!is_deep && !any_divided && !any_shared) return;
  const auto add = [&](std::size_t r, std::span<const std::uint8_t> wanted, const std::uint32_t* answers,
                       const std::uint32_t* other, double factor) {
    const EdgeWalk::Target target{out + r * per_row(kind), n_outputs_, n_features_,
                                  n_computed(member.tree.n_outputs())};
    if (kind == GroupEntry::kShares) {
      walk.add_shares(member.tree, *member.points, wanted, answers, other, factor, target);
    } else {
      walk.add_pairs(member.tree, *member.points, wanted, answers, other, factor, target);
    }
  };
  std::vector<std::uint32_t> answers;
  const auto answer = [&](std::size_t r, bool shared) {
    stop.throw_if_requested();
    EdgeWalk::answer(member.tree, shared || any_divided ? all : deep, rows.row(r), answers);
  };
  const auto shares_row = [&](std::size_t r) { return !is_shared.empty() && is_shared[r] != 0; };
  if (background == nullptr) {
    for (std::size_t r = 0; r < rows.n_rows(); ++r) {
      if (!shares_row(r) && !is_deep) continue;
      answer(r, shares_row(r));
      add(r, shares_row(r) ? all : deep, answers.data(), nullptr, 1.0);
    }
    return;
  }
  // Some rows of the background at a time, whose answers fit in the cache or nearly so.
  const std::size_t some = others_at_once(member.tree.edges().size());
  std::vector<std::vector<std::uint32_t>> others(some);
  for (std::size_t begin = 0; begin < n_others; begin += some) {
    const std::size_t end = std::min(begin + some, n_others);
    for (std::size_t b = begin; b < end; ++b) {
      stop.throw_if_requested();
      EdgeWalk::answer(member.tree, is_deep && !any_shared && is_divided[b] == 0 ? deep : all,
                       background->rows.data() + b * n_features_, others[b - begin]);
    }
    for (std::size_t r = 0; r < rows.n_rows(); ++r) {
      const bool shared = shares_row(r);
      if (!shared && !is_deep && !any_divided) continue;
      answer(r, shared);
      for (std::size_t b = begin; b < end; ++b) {
        const bool whole = shared || is_divided[b] != 0;
        if (!whole && !is_deep) continue;
        add(r, whole ? all : deep, answers.data(), others[b - begin].data(),
            1.0 / static_cast<double>(n_others));
      }
    }
  }
}

template <class T>
void Attributions::add_all(const MatrixView<T>& matrix, Team& team, GroupEntry kind, double* out,
                           const Background* background) const {
  check_columns(matrix);
  if (members_.empty()) std::fill_n(out, matrix.n_rows * per_row(kind), 0.0);
  // With a background an entry is made of all others: there is always a table.
  const std::size_t n_asked = background == nullptr ? matrix.n_rows : SIZE_MAX;
  const std::size_t some = rows_of_block(matrix.n_rows, team.size());
  const std::size_t n_blocks = (matrix.n_rows + some - 1) / some, step = per_row(kind);
  const std::size_t work = matrix.n_rows * n_edges_ * (background == nullptr ? 1 : 8);
  for (std::size_t first = 0, end = 0; first < members_.size(); first = end) {
    end = end_of_chunk(first, kind, n_asked);
    std::vector<std::optional<PatternTables>> tables(end - first);
    const bool asks_values = kind == GroupEntry::kShares && background == nullptr;
    const std::vector<PatternTables>* kept = asks_values ? kept_tables(matrix.n_rows) : nullptr;
    team.parallel_for(kept == nullptr ? end - first : 0, work, [&](std::size_t i, int) {
      const Member& member = members_[first + i];
      const auto wanted = [&](const PatternGroup& group) { return wants_table(group, n_asked); };
      if (background == nullptr) {
        const PathEntries entries(member.tree, member.groups, pattern_points_);
        tables[i].emplace(member.tree, member.groups, entries, kind, wanted);
      } else {
        const BackgroundEntries entries(member.tree, member.groups, pattern_points_,
                                        background->trees[first + i]);
        tables[i].emplace(member.tree, member.groups, entries, kind, wanted);
      }
    });
    team.parallel_for(n_blocks, work, [&](std::size_t block, int) {
      const std::size_t begin = block * some;
      RowBlock<T> rows(matrix, used_);
      rows.read(begin, std::min(begin + some, matrix.n_rows));
      double* block_out = out + begin * step;
      if (first == 0) std::fill_n(block_out, rows.n_rows() * step, 0.0);
      PatternWalk patterns;
      EdgeWalk edges;
      BlockWalk bundles;
      std::vector<std::uint8_t> is_shared;
      for (std::size_t i = 0; i < tables.size(); ++i) {
        team.stop().throw_if_requested();
        const Member& member = members_[first + i];
        is_shared.clear();
        for (std::size_t r = 0; r < rows.n_rows() && member.tree.may_share(); ++r) {
          is_shared.push_back(member.tree.shares(rows.row(r)) ? 1 : 0);
        }
        double* member_out = block_out + member.first_output;
        const PatternTables& own_tables = kept == nullptr ? *tables[i] : (*kept)[first + i];
        add_groups(member, own_tables, kind, rows, is_shared, patterns, member_out);
        if (background == nullptr && kind == GroupEntry::kShares) {
          add_bundles(member, rows, is_shared, team.stop(), bundles, member_out);
        } else if (kind == GroupEntry::kShares) {
          add_long_paths(member, rows, is_shared, *background, background->trees[first + i], team.stop(),
                         patterns, member_out);
        }
        add_edges(member, kind, rows, is_shared, background,
                  background == nullptr ? nullptr : &background->trees[first + i], team.stop(), edges,
                  member_out);
      }
      if (end == members_.size()) finish_outputs(rows.n_rows() * step / n_outputs_, block_out);
    });
  }
}

void Attributions::finish_outputs(std::size_t count, double* out) const {
  if (!mirrors_) return;
  for (std::size_t i = 0; i < count; ++i, out += n_outputs_) {
    double others = 0;
    for (std::size_t k = 0; k + 1 < n_outputs_; ++k) others += out[k];
    out[n_outputs_ - 1] = -others;
  }
}

template <class T>
void Attributions::values(const MatrixView<T>& matrix, Team& team, double* out,
                          const Background* background) const {
  add_all(matrix, team, GroupEntry::kShares, out, background);
}

template <class T>
void Attributions::scaled_values(const MatrixView<T>& matrix, Team& team, double* out,
                                 const Background& background, const double* factors) const {
  check_columns(matrix);
  const std::size_t step = per_row(GroupEntry::kShares), n_others = background.n_rows;
  std::fill_n(out, matrix.n_rows * step, 0.0);
  constexpr std::size_t kBlock = 16;
  const std::size_t n_blocks = (matrix.n_rows + kBlock - 1) / kBlock;
  const std::size_t work = matrix.n_rows * n_others * members_.size() * 8;
  // Tree by tree, so that the answers of the background are found once.
  for (const Member& member : members_) {
    const std::size_t some = others_at_once(member.tree.edges().size());
    std::vector<std::vector<std::uint32_t>> others(some);
    for (std::size_t begin = 0; begin < n_others; begin += some) {
      const std::size_t end = std::min(begin + some, n_others);
      team.parallel_for(end - begin, (end - begin) * member.tree.edges().size(), [&](std::size_t i, int) {
        EdgeWalk::answer(member.tree, {}, background.rows.data() + (begin + i) * n_features_, others[i]);
      });
      team.parallel_for(n_blocks, work, [&](std::size_t block, int) {
        RowBlock<T> rows(matrix, used_);
        rows.read(block * kBlock, std::min((block + 1) * kBlock, matrix.n_rows));
        EdgeWalk walk;
        std::vector<std::uint32_t> answers;
        for (std::size_t r = 0; r < rows.n_rows(); ++r) {
          team.stop().throw_if_requested();
          const std::size_t row = block * kBlock + r;
          EdgeWalk::answer(member.tree, {}, rows.row(r), answers);
          const EdgeWalk::Target target{out + row * step + member.first_output, n_outputs_, n_features_,
                                        n_computed(member.tree.n_outputs())};
          for (std::size_t b = begin; b < end; ++b) {
            walk.add_shares(member.tree, *member.points, {}, answers.data(), others[b - begin].data(),
                            factors[row * n_others + b], target);
          }
        }
      });
    }
  }
  finish_outputs(matrix.n_rows * n_features_, out);
}

// From pairs above the diagonal of one row to the whole square.
void Attributions::finish_interactions(const double* values, double* out) const {
  const std::size_t n = n_features_, n_outputs = n_outputs_;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      std::copy_n(out + (a * n + b) * n_outputs, n_outputs, out + (b * n + a) * n_outputs);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t k = 0; k < n_outputs; ++k) {
      double others = 0;
      for (std::size_t b = 0; b < n; ++b) {
        if (b != a) others += out[(a * n + b) * n_outputs + k];
      }
      out[(a * n + a) * n_outputs + k] = values[a * n_outputs + k] - others;
    }
  }
}

template <class T>
void Attributions::interactions(const MatrixView<T>& matrix, Team& team, double* out,
                                const Background* background) const {
  const std::size_t values_step = per_row(GroupEntry::kShares), step = per_row(GroupEntry::kPairs);
  std::vector<double> alone(matrix.n_rows * values_step);
  values(matrix, team, alone.data(), background);
  add_all(matrix, team, GroupEntry::kPairs, out, background);
  team.parallel_for(matrix.n_rows, matrix.n_rows * step, [&](std::size_t row, int) {
    finish_interactions(alone.data() + row * values_step, out + row * step);
  });
}

template <class T>
void Attributions::shared(const MatrixView<T>& matrix, Team& team, std::uint8_t* out) const {
  check_columns(matrix);
  constexpr std::size_t kBlock = RowBlock<T>::kMostRows;
  const std::size_t n_blocks = (matrix.n_rows + kBlock - 1) / kBlock;
  team.parallel_for(n_blocks, matrix.n_rows * n_edges_, [&](std::size_t block, int) {
    RowBlock<T> rows(matrix, used_);
    rows.read(block * kBlock, std::min((block + 1) * kBlock, matrix.n_rows));
    for (std::size_t r = 0; r < rows.n_rows(); ++r) {
      team.stop().throw_if_requested();
      for (std::size_t t = 0; t < members_.size(); ++t) {
        out[(block * kBlock + r) * members_.size() + t] = members_[t].tree.shares(rows.row(r)) ? 1 : 0;
      }
    }
  });
}

template void Attributions::values(const MatrixView<float>&, Team&, double*, const Background*) const;
template void Attributions::scaled_values(const MatrixView<float>&, Team&, double*, const Background&,
                                          const double*) const;
template void Attributions::values(const MatrixView<double>&, Team&, double*, const Background*) const;
template void Attributions::scaled_values(const MatrixView<double>&, Team&, double*, const Background&,
                                          const double*) const;
template void Attributions::interactions(const MatrixView<float>&, Team&, double*, const Background*) const;
template void Attributions::interactions(const MatrixView<double>&, Team&, double*, const Background*) const;
template void Attributions::shared(const MatrixView<float>&, Team&, std::uint8_t*) const;
template void Attributions::shared(const MatrixView<double>&, Team&, std::uint8_t*) const;

}  // namespace treewright
