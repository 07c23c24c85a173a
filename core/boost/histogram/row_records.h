// RowRecords: for every row the codes of all column groups and, behind them, the row's gradient and hessian
// in ticks. Filling a histogram reads a row from one place, usually one cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/huge_array.h"
#include "base/parallel.h"
#include "boost/histogram/column_groups.h"
#include "data/dataset.h"
#include "data/sparse_entries.h"

namespace treewright {

template <class Ticks>
class RowRecords {
 public:
  using Stored = typename Ticks::Stored;

  RowRecords(const Dataset& data, const ColumnGroups& groups, Team& team)
      : n_narrow_(groups.n_narrow()),
        n_wide_(groups.n_dense() - groups.n_narrow()),
        wide_at_((n_narrow_ + 1) / 2 * 2),
        stride_(stride_for(wide_at_ + 2 * n_wide_ + sizeof(Stored))),
        bytes_(data.n_rows * stride_) {
    constexpr std::size_t kTile = 1024;  // rows whose records stay in the cache while columns pass by
    const std::size_t n_tiles = (data.n_rows + kTile - 1) / kTile;
    team.parallel_for(n_tiles, data.n_rows * groups.n_dense() * 2, [&](std::size_t tile, int) {
      const std::size_t begin = tile * kTile, end = std::min(data.n_rows, begin + kTile);
      for (std::size_t g = 0; g < groups.n_dense(); ++g) {
        for (const GroupMember& member : groups[g].members) {
          const Column& column = data.column(member.column);
          if (column.is_sparse) {  // in an exclusive group: one byte, in which the rest adds nothing
            for_entries(column, begin, end, [&](std::size_t row, Code code) {
              bytes_.data()[row * stride_ + g] =
                  static_cast<std::uint8_t>(groups[g].part(member, member.digit(code)));
            });
            continue;
          }
          visit_codes(column, [&](const auto* codes) {
            if (g < n_narrow_) {
              add_codes<std::uint8_t>(codes, groups[g], member, begin, end, g);
            } else {
              add_codes<std::uint16_t>(codes, groups[g], member, begin, end, wide_at_ + 2 * (g - n_narrow_));
            }
          });
        }
      }
    });
  }

  std::size_t stride() const { return stride_; }
  std::size_t n_narrow() const { return n_narrow_; }
  std::size_t n_wide() const { return n_wide_; }

  std::uint8_t* row(std::size_t row) { return bytes_.data() + row * stride_; }
  const std::uint8_t* wide_codes(const std::uint8_t* record) const { return record + wide_at_; }

  // The code of a group, by its number.
  std::size_t code(const std::uint8_t* record, std::size_t group) const {
    if (group < n_narrow_) return record[group];
    std::uint16_t code;
    std::memcpy(&code, wide_codes(record) + 2 * (group - n_narrow_), 2);
    return code;
  }

  // A row's ticks stand at the end of its record.
  static void set_ticks(std::uint8_t* record, std::size_t stride, Stored ticks) {
    std::memcpy(record + stride - sizeof(Stored), &ticks, sizeof(Stored));
  }
  static Stored ticks(const std::uint8_t* record, std::size_t stride) {
    Stored ticks;
    std::memcpy(&ticks, record + stride - sizeof(Stored), sizeof(Stored));
    return ticks;
  }

 private:
  // A record that fits a cache line never crosses one.
  static std::size_t stride_for(std::size_t bytes) {
    for (const std::size_t stride : {8, 16, 32, 64}) {
      if (bytes <= stride) return stride;
    }
    return (bytes + 31) / 32 * 32;
  }

  template <class To, class From>
  void add_codes(const From* codes, const ColumnGroup& group, const GroupMember& member, std::size_t begin,
                 std::size_t end, std::size_t at) {
    if (group.is_single() && !member.merges_rare()) {
      for (std::size_t row = begin; row < end; ++row) {
        const To digit = static_cast<To>(codes[row] - member.first);
        std::memcpy(bytes_.data() + row * stride_ + at, &digit, sizeof(To));
      }
      return;
    }
    for (std::size_t row = begin; row < end; ++row) {
      std::uint8_t* place = bytes_.data() + row * stride_ + at;
      To code;
      std::memcpy(&code, place, sizeof(To));
      code = static_cast<To>(code + group.part(member, member.digit(codes[row])));
      std::memcpy(place, &code, sizeof(To));
    }
  }

  std::size_t n_narrow_, n_wide_;
  std::size_t wide_at_;  // where the codes of two bytes begin
  std::size_t stride_;
  HugeArray<std::uint8_t> bytes_;
};

}  // namespace treewright
