// What grow_gini.cpp and grow_entropy.cpp instantiate, apart so that they compile side by side.
#pragma once

#include <cstdint>
#include <span>

#include "grow/bag.h"
#include "grow/column_finder.h"
#include "grow/grower.h"

namespace treewright {

struct ClassTask {
  const Dataset& data;
  std::span<const std::int32_t> labels;
  int n_classes;
  std::span<const double> weights;
  const GrowPlan& plan;
  Team& team;
};

Tree grow_gini(const ClassTask& task, bool weighted);
Tree grow_entropy(const ClassTask& task, bool weighted);

template <class Scan, class Criterion>
Tree grow_with(const ClassTask& task, const Criterion& criterion) {
  constexpr bool kWeighted = Criterion::Target::kIsWeighted;
  auto bag = class_bag<kWeighted>(task.labels, task.n_classes, task.weights);
  ColumnFinder<Criterion, Scan> finder(task.data, task.plan, criterion, task.team);
  return Grower(task.data, task.plan, finder, bag, task.team).grow();
}

}  // namespace treewright
