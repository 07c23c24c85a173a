#include "grow/candidates/candidates.h"

#include <stdexcept>
#include <utility>

#include "criterion/criteria.h"
#include "grow/bag.h"
#include "grow/candidates/candidate_search.h"

namespace treewright {

namespace {

template <class T>
std::vector<T> taken(std::span<const T> values, std::span<const RowId> rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const RowId row : rows) out.push_back(values[row]);
  return out;
}

template <class Criterion>
NodeCandidates search(const Dataset& data, const GrowPlan& plan, const Criterion& criterion,
                      const NodeQuery& query, RowList<typename Criterion::Sample> bag, Team& team) {
  bag.rows.assign(query.rows.begin(), query.rows.end());
  return visit_scan(criterion, [&]<class Scan>(TypeOf<Scan>) {
    return CandidateSearch<Criterion, Scan>(data, plan, criterion, query, bag, team).run();
  });
}

void check(const Dataset& data, std::size_t n_targets, const NodeQuery& query) {
  check_lengths(data.n_rows, n_targets, 0);
  if (query.rows.empty()) throw std::invalid_argument("A node needs at least one row.");
  if (!query.weights.empty() && query.weights.size() != query.rows.size()) {
    throw std::invalid_argument("There must be one weight for each listed row.");
  }
  for (const RowId row : query.rows) {
    if (row >= data.n_rows) throw std::invalid_argument("A row is not in the table.");
  }
  for (const FeatureId feature : query.features) {
    if (feature < 0 || feature >= data.n_features()) {
      throw std::invalid_argument("A feature is not in the table.");
    }
  }
}

}  // namespace

NodeCandidates class_candidates(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                                const NodeQuery& query, const GrowPlan& plan, Team& team) {
  check(data, labels.size(), query);
  const std::vector<std::int32_t> own = taken(labels, query.rows);
  const auto search_by = [&]<class Criterion>(TypeOf<Criterion>) {
    const auto criterion =
        Criterion::make({.n_classes = n_classes, .y = {}, .n_rows = own.size(), .stop = &team.stop()});
    auto bag = class_bag<Criterion::Target::kIsWeighted>(own, n_classes, query.weights);
    return search(data, plan, criterion, query, std::move(bag), team);
  };
  // The same choice as in growing, so that sums are rounded alike.
  const bool weighted = !query.weights.empty() || shares_rows(data, plan);
  return visit_criterion<Task::kClasses>(plan.criterion, [&]<class Types>(Types) {
    return weighted ? search_by(TypeOf<typename Types::Weighted>{})
                    : search_by(TypeOf<typename Types::Unweighted>{});
  });
}

NodeCandidates mean_candidates(const Dataset& data, std::span<const double> y, const NodeQuery& query,
                               const GrowPlan& plan, Team& team) {
  check(data, y.size(), query);
  const std::vector<double> own = taken(y, query.rows);
  return visit_criterion<Task::kNumbers>(plan.criterion, [&]<class Types>(Types) {
    // Sums of y·1 are rounded as sums of y are, so rows without weights need no search of their own here.
    const auto criterion = Types::Weighted::make({.y = y, .n_rows = own.size(), .stop = &team.stop()});
    return search(data, plan, criterion, query, number_bag(criterion, own, query.weights, team), team);
  });
}

}  // namespace treewright
