// BatchEncoder: a Dataset from rows that come in batches, twice, so that only the codes are in memory. They
// are the codes that encode_table gives the whole table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "data/column_survey.h"
#include "data/dataset.h"
#include "data/numeric_source.h"

namespace treewright {

struct BatchColumn {
  ColumnKind kind = ColumnKind::kNumeric;
  Code n_codes = 0;  // categories only
};

class BatchEncoder {
 public:
  // Whether bins come from drawn rows, so that they can be made without all rows in memory.
  static bool applies(std::size_t n_rows, std::size_t max_bins);

  // Throws std::invalid_argument when it does not apply.
  BatchEncoder(std::vector<BatchColumn> columns, std::size_t n_rows, std::size_t max_bins);

  // The first time: one source per column, of the next n rows. Those of categories are not looked at.
  void survey(const std::vector<NumericSource>& sources, std::size_t n, Team& team);

  // The second time, in the same order.
  void encode(const std::vector<NumericSource>& sources, std::size_t n, Team& team);

  // Once, after all rows were encoded. Throws std::invalid_argument, naming the column, when rows were not
  // the same both times.
  Dataset take();

 private:
  void check_count(std::size_t so_far, std::size_t n) const;
  void end_survey();
  void encode_numbers(std::size_t column, const NumericSource& source, std::size_t n,
                      std::vector<ColumnSurvey::Key>* buffer);
  void encode_categories(std::size_t column, const NumericSource& source, std::size_t n,
                         const StopFlag& stop);

  const std::vector<BatchColumn> columns_;
  const std::size_t n_rows_;
  const std::size_t max_bins_;
  const std::size_t widest_;
  const std::vector<std::size_t> drawn_rows_;
  std::size_t n_surveyed_ = 0, n_encoded_ = 0;
  std::vector<ColumnSurvey> surveys_;
  std::vector<std::uint64_t> checksums_;                 // of the second time
  std::vector<std::vector<ColumnSurvey::Key>> buffers_;  // one per worker
  Dataset dataset_;
};

}  // namespace treewright
