// How many rows of a block have the same code: what decides how small a cell may be that counts them.
#pragma once

#include <cstddef>

#include "data/dataset.h"

namespace treewright {

// The most rows with one code in any block; blocks begin every `block_rows` rows.
std::size_t largest_crowd(const Column& column, std::size_t n_rows, std::size_t block_rows);

}  // namespace treewright
