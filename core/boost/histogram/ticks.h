// Gradients and hessians as whole numbers of ticks: sums are exact in any order, so they depend neither on
// the number of threads nor on how rows were divided, and a sibling's sums follow by subtraction.
//
// PackedTicks  both in one 64-bit cell, one addition for both; rows times the largest tick must stay below
//              2³¹, which leaves 11 bits for a million rows.
// WideTicks    two 64-bit numbers and 30 bits a row, for any number of rows; less beyond two million of them,
//              so that sums have at most 51 bits and are whole as doubles, too.
#pragma once

#include <cstdint>

namespace treewright {

// The sums of a node or of one side of a split.
struct TickSums {
  std::int64_t gradient = 0;
  std::int64_t hessian = 0;

  TickSums operator+(const TickSums& other) const {
    return {gradient + other.gradient, hessian + other.hessian};
  }
  TickSums operator-(const TickSums& other) const {
    return {gradient - other.gradient, hessian - other.hessian};
  }
};

// What a tick is worth.
struct TickUnits {
  double gradient = 1;
  double hessian = 1;
};

struct PackedTicks {
  using Cell = std::int64_t;
  using Stored = std::uint32_t;  // of one row: gradient in the upper half, hessian in the lower one
  static constexpr std::int64_t kMostTicks = 32766;  // one less than fits: rounding may add a tick
  static constexpr std::int64_t kMostSum = (std::int64_t{1} << 31) - 1;

  static Stored store(std::int32_t gradient, std::int32_t hessian) {
    return static_cast<Stored>(gradient) << 16 | (static_cast<Stored>(hessian) & 0xFFFFU);
  }
  static Cell cell(Stored stored) {
    const auto wide = static_cast<std::int64_t>(static_cast<std::int32_t>(stored));
    return ((wide >> 16) << 32) + static_cast<std::int64_t>(stored & 0xFFFFU);
  }
  static Cell cell(const TickSums& sums) { return (sums.gradient << 32) + sums.hessian; }
  static TickSums sums(Cell cell) { return {cell >> 32, cell & 0xFFFFFFFF}; }
  static bool is_zero(Cell cell) { return cell == 0; }
};

struct WideTicks {
  struct Cell {
    std::int64_t gradient = 0;
    std::int64_t hessian = 0;

    Cell& operator+=(const Cell& other) {
      gradient += other.gradient;
      hessian += other.hessian;
      return *this;
    }
    friend Cell operator-(Cell a, const Cell& b) { return {a.gradient - b.gradient, a.hessian - b.hessian}; }
    friend Cell operator+(Cell a, const Cell& b) { return {a.gradient + b.gradient, a.hessian + b.hessian}; }
  };
  using Stored = std::uint64_t;
  static constexpr std::int64_t kMostTicks = (std::int64_t{1} << 30) - 1;
  static constexpr std::int64_t kMostSum = (std::int64_t{1} << 51) - 1;

  static Stored store(std::int32_t gradient, std::int32_t hessian) {
    return static_cast<Stored>(static_cast<std::uint32_t>(gradient)) << 32 |
           static_cast<std::uint32_t>(hessian);
  }
  static Cell cell(Stored stored) {
    return {static_cast<std::int64_t>(stored) >> 32, static_cast<std::int64_t>(stored & 0xFFFFFFFFU)};
  }
  static Cell cell(const TickSums& sums) { return {sums.gradient, sums.hessian}; }
  static TickSums sums(const Cell& cell) { return {cell.gradient, cell.hessian}; }
  static bool is_zero(const Cell& cell) { return (cell.gradient | cell.hessian) == 0; }
};

}  // namespace treewright
