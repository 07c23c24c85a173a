#include "data/encode_table.h"

#include "base/memory.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "data/encode_category.h"
#include "data/encode_numeric.h"

namespace treewright {

Dataset encode_table(const std::vector<TableColumn>& columns, std::size_t n_rows, std::size_t max_bins,
                     Team& team) {
  Dataset dataset;
  dataset.n_rows = n_rows;
  dataset.columns.resize(columns.size());

  std::vector<std::size_t> numeric, categorical;
  std::vector<NumericSource> sources;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    if (columns[f].kind == ColumnKind::kNumeric) {
      numeric.push_back(f);
      sources.push_back(columns[f].source);
    } else {
      categorical.push_back(f);
    }
  }

  std::vector<Column> encoded = encode_numeric(sources, n_rows, max_bins, team);
  for (std::size_t i = 0; i < numeric.size(); ++i) dataset.columns[numeric[i]] = std::move(encoded[i]);

  team.parallel_for(categorical.size(), categorical.size() * n_rows, [&](std::size_t i, int) {
    const std::size_t f = categorical[i];
    const TableColumn& column = columns[f];
    try {
      dataset.columns[f] = encode_category(column.source, n_rows, column.n_codes, column.kind, team.stop());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("Column " + std::to_string(f) + ": " + error.what());
    }
  });
  constexpr std::size_t kManyBytes = std::size_t{4} << 20;
  if (dataset.code_bytes() > kManyBytes) release_freed_memory();  // the scratch of the encoders
  return dataset;
}

}  // namespace treewright
