#include "explain/attributions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "explain/edge_walk.h"
#include "explain/pattern_walk.h"
#include "explain/row_block.h"

namespace treewright {

namespace {

constexpr std::size_t kNumbersPerChunk = (std::size_t{32} << 20) / sizeof(double);

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
  const std::size_t n_points = Quadrature::points_for(tree.most_places());
  const Quadrature* points = &quadratures_.try_emplace(n_points, n_points).first->second;
  std::vector<FeatureId> both;
  std::set_union(used_.begin(), used_.end(), tree.tested().begin(), tree.tested().end(),
                 std::back_inserter(both));
  used_.swap(both);
  n_edges_ += tree.edges().size();
  members_.push_back({std::move(tree), std::move(groups), first_output, points});
}

std::vector<double> Attributions::base() const {
  std::vector<double> sum(n_outputs_, 0.0);
  for (const Member& member : members_) {
    const std::vector<double> own = member.tree.base();
    for (std::size_t k = 0; k < own.size(); ++k) sum[member.first_output + k] += own[k];
  }
  return sum;
}

template <class T>
void Attributions::check_columns(const MatrixView<T>& matrix) const {
  if (matrix.n_columns == n_features_) return;
  throw std::invalid_argument("The matrix has " + std::to_string(matrix.n_columns) + " columns, expected " +
                              std::to_string(n_features_) + ".");
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

template <class T>
void Attributions::add_all(const MatrixView<T>& matrix, Team& team, GroupEntry kind, double* out) const {
  check_columns(matrix);
  const std::size_t per_feature = kind == GroupEntry::kShares ? n_outputs_ : n_features_ * n_outputs_;
  const std::size_t per_row = n_features_ * per_feature;
  constexpr std::size_t kBlock = RowBlock<T>::kMostRows;
  const std::size_t n_blocks = (matrix.n_rows + kBlock - 1) / kBlock;
  for (std::size_t first = 0, end = 0; first < members_.size(); first = end) {
    end = end_of_chunk(first, kind, matrix.n_rows);
    std::vector<std::optional<PatternTables>> tables(end - first);
    team.parallel_for(end - first, matrix.n_rows * n_edges_, [&](std::size_t i, int) {
      const Member& member = members_[first + i];
      tables[i].emplace(member.tree, member.groups, PathEntries(member.tree, member.groups, pattern_points_),
                        kind, [&](const PatternGroup& group) { return wants_table(group, matrix.n_rows); });
    });
    team.parallel_for(n_blocks, matrix.n_rows * n_edges_, [&](std::size_t block, int) {
      const std::size_t begin = block * kBlock;
      RowBlock<T> rows(matrix, used_);
      rows.read(begin, std::min(begin + kBlock, matrix.n_rows));
      const std::size_t n = rows.n_rows();
      double* block_out = out + begin * per_row;
      if (first == 0) std::fill_n(block_out, n * per_row, 0.0);
      PatternWalk patterns;
      EdgeWalk edges;
      std::vector<std::uint8_t> is_shared(n);
      std::vector<double> computed;
      for (std::size_t i = 0; i < tables.size(); ++i) {
        team.stop().throw_if_requested();
        const Member& member = members_[first + i];
        const std::size_t n_own = member.tree.n_outputs();
        const bool may_share = member.tree.may_share();
        for (std::size_t r = 0; r < n && may_share; ++r)
          is_shared[r] = member.tree.shares(rows.row(r)) ? 1 : 0;
        const PathEntries entries(member.tree, member.groups, pattern_points_);
        patterns.run(member.tree, member.groups, rows, [&](std::size_t g, const PatternWalk::Word* states) {
          const PatternGroup& group = member.groups.groups()[g];
          const std::span<const FeatureId> features = member.groups.features(group);
          const std::size_t width = entry_slots(group, kind) * n_own;
          const double* table = tables[i]->of(g);
          if (table == nullptr) computed.resize(width);
          for (std::size_t r = 0; r < n; ++r) {
            if (may_share && is_shared[r] != 0) continue;
            const double* entry = table + states[r] * width;
            if (table == nullptr) {
              entries.write(group, kind, static_cast<std::uint32_t>(states[r]), computed.data());
              entry = computed.data();
            }
            add_entry(entry, features, kind, n_own,
                      {block_out + r * per_row + member.first_output, n_outputs_, n_features_});
          }
        });
        const bool is_deep = !member.tree.edges().empty() && member.groups.has_deep_leaves()[0] != 0;
        if (!is_deep && !may_share) continue;
        for (std::size_t r = 0; r < n; ++r) {
          const bool all = may_share && is_shared[r] != 0;
          if (!all && !is_deep) continue;
          team.stop().throw_if_requested();
          const std::span<const std::uint8_t> wanted =
              all ? std::span<const std::uint8_t>{} : member.groups.has_deep_leaves();
          const EdgeWalk::Target target{block_out + r * per_row + member.first_output, n_outputs_,
                                        n_features_};
          if (kind == GroupEntry::kShares) {
            edges.add_shares(member.tree, *member.points, wanted, rows.row(r), target);
          } else {
            edges.add_pairs(member.tree, *member.points, wanted, rows.row(r), target);
          }
        }
      }
    });
  }
}

template <class T>
void Attributions::values(const MatrixView<T>& matrix, Team& team, double* out) const {
  if (members_.empty()) std::fill_n(out, matrix.n_rows * n_features_ * n_outputs_, 0.0);
  add_all(matrix, team, GroupEntry::kShares, out);
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
void Attributions::interactions(const MatrixView<T>& matrix, Team& team, double* out) const {
  const std::size_t per_row = n_features_ * n_outputs_;
  std::vector<double> alone(matrix.n_rows * per_row);
  values(matrix, team, alone.data());
  if (members_.empty()) std::fill_n(out, matrix.n_rows * n_features_ * per_row, 0.0);
  add_all(matrix, team, GroupEntry::kPairs, out);
  team.parallel_for(matrix.n_rows, matrix.n_rows * n_features_ * per_row, [&](std::size_t row, int) {
    finish_interactions(alone.data() + row * per_row, out + row * n_features_ * per_row);
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

template void Attributions::values(const MatrixView<float>&, Team&, double*) const;
template void Attributions::values(const MatrixView<double>&, Team&, double*) const;
template void Attributions::interactions(const MatrixView<float>&, Team&, double*) const;
template void Attributions::interactions(const MatrixView<double>&, Team&, double*) const;
template void Attributions::shared(const MatrixView<float>&, Team&, std::uint8_t*) const;
template void Attributions::shared(const MatrixView<double>&, Team&, std::uint8_t*) const;

}  // namespace treewright
