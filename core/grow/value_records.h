// ValueRecords: the values of a table's ordered columns, rows side by side, for tests that are drawn between
// values. NaN = missing; a bin stands there as its smallest value; ordered categories as their codes.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"

namespace treewright {

class ValueRecords {
 public:
  // Makes none when they are not wanted.
  ValueRecords(const Dataset& data, bool wanted, Team& team);

  // Single precision holds every value of the table exactly.
  bool is_single() const { return is_single_; }
  std::size_t stride() const { return stride_; }

  // The value of column c in row r stands at r * stride() + c.
  template <class T>
  const T* values() const;

 private:
  template <class T>
  void fill(const Dataset& data, Team& team, std::vector<T>& values);

  bool is_single_ = true;
  std::size_t stride_ = 0;
  std::vector<float> floats_;  // one of the two is in use
  std::vector<double> doubles_;
};

template <>
inline const float* ValueRecords::values<float>() const {
  return floats_.data();
}
template <>
inline const double* ValueRecords::values<double>() const {
  return doubles_.data();
}

}  // namespace treewright
