// RowError: one row of the input cannot be used. It carries the row as a number, so that whoever knows the
// rows by other numbers need not read the text.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace treewright {

class RowError : public std::invalid_argument {
 public:
  RowError(std::size_t row, const std::string& reason)
      : std::invalid_argument("Row " + std::to_string(row) + " " + reason), row_(row), reason_(reason) {}

  std::size_t row() const noexcept { return row_; }
  // What follows the number of the row in the message, with its full stop.
  const std::string& reason() const noexcept { return reason_; }

 private:
  std::size_t row_;
  std::string reason_;
};

}  // namespace treewright
