// SharedRound: what processes that share the rows tell each other at the beginning of a round, in one
// exchange: how large gradients are, what chance would gain, and whether somebody was told to stop.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/histogram/quantise.h"
#include "boost/histogram/row_exchange.h"
#include "boost/rounds/chance_gain.h"

namespace treewright {

struct SharedRound {
  struct Output {
    GradientSizes sizes;  // of all rows
    double chance_gain = 0;
  };

  bool stops = false;
  std::vector<Output> outputs;

  // `gradients`: of each output. `told_to_stop`: this process was.
  static SharedRound meet(const std::vector<Gradients>& gradients, const ChanceGain& chance,
                          bool told_to_stop, RowExchange& others, Team& team);
};

}  // namespace treewright
