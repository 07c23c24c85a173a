// ValueList: the values behind the codes of a numeric column, read as doubles.
// Columns that came as float32 keep their values as float32: with exact ranks there can be one value per row,
// and doubles would then take twice the memory of the codes.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace treewright {

class ValueList {
 public:
  ValueList() = default;
  ValueList(std::vector<double> values) : doubles_(std::move(values)) {}
  ValueList(std::vector<float> values) : floats_(std::move(values)) {}
  ValueList(std::initializer_list<double> values) : doubles_(values) {}

  std::size_t size() const { return floats_.size() + doubles_.size(); }
  bool empty() const { return size() == 0; }
  bool is_single() const { return doubles_.empty(); }
  std::size_t bytes() const { return floats_.size() * sizeof(float) + doubles_.size() * sizeof(double); }

  double operator[](std::size_t i) const {
    return floats_.empty() ? doubles_[i] : static_cast<double>(floats_[i]);
  }

 private:
  std::vector<float> floats_;  // at most one of the two is in use
  std::vector<double> doubles_;
};

}  // namespace treewright
