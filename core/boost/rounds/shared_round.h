// SharedRound: what processes that share the rows tell each other at the beginning of a round, in one
// exchange: how large gradients are, what chance would gain, and the scores that the train score looks at.
#pragma once

#include <cstddef>
#include <span>
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

  std::vector<Output> outputs;

  // `gradients`: of each output. `also`: numbers to be gathered on the same way.
  static SharedRound meet(const std::vector<Gradients>& gradients, const ChanceGain& chance,
                          std::span<double> also, RowExchange& others, Team& team);
};

}  // namespace treewright
