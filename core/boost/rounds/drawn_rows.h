// DrawnRows: which rows a round sees: all, a random share (Friedman 2002), or those with large gradients and
// some of the others, which then count more (GOSS, Ke et al. 2017). A row's fate depends on the seed, the
// round and the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_plan.h"
#include "boost/histogram/row_exchange.h"

namespace treewright {

class DrawnRows {
 public:
  enum class Draw : std::uint8_t {
    kEachRow,    // a share: every row by a draw of its own
    kExactCount  // a share: as many rows as it says; all rows are drawn one after the other
  };

  // `others`: holds the rows of other processes; null: there are none. Only draws of each row know others.
  DrawnRows(const BoostPlan& plan, std::size_t n_rows, std::size_t outputs, Draw how = Draw::kEachRow,
            RowExchange* others = nullptr);

  // Gradients stand output by output.
  void draw(std::size_t round, std::span<const float> gradient, Team& team);

  std::span<const std::uint8_t> flags() const { return flags_; }
  float factor() const { return factor_; }

 private:
  // The size at some place when they are ordered, the largest first.
  struct Rank {
    float size = std::numeric_limits<float>::infinity();
    std::size_t n_larger = 0;
    std::size_t n_equal = 0;
  };
  Rank rank_of(std::size_t place, Team& team);
  template <class Count>
  std::vector<std::size_t> counted(Team& team, Count count);

  void draw_share(std::uint64_t key, Team& team);
  void draw_count(std::size_t round);
  void draw_by_gradient(std::uint64_t key, std::span<const float> gradient, Team& team);

  const BoostPlan& plan_;
  std::size_t n_rows_, outputs_;
  RowExchange* others_;
  std::size_t n_all_rows_, first_row_;  // of all processes; of this one among them
  Draw how_;
  std::vector<std::uint8_t> flags_;  // empty: all rows
  std::vector<float> size_;          // of the gradient of each row
  float factor_ = 1;
};

}  // namespace treewright
