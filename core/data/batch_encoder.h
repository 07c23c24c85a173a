// BatchEncoder: a Dataset from rows that come in batches, twice, so that only the codes are in memory. They
// are the codes that encode_table gives the whole table.
//
// Several processes may each look at a part of the rows: what they have seen is joined in one of them, and
// everybody encodes his part by the columns that it describes.
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

  // `n_rows`: of the whole table; first_row: the number there of the first row that will come. Throws
  // std::invalid_argument when it does not apply.
  BatchEncoder(std::vector<BatchColumn> columns, std::size_t n_rows, std::size_t max_bins,
               std::size_t first_row = 0);

  // For `n_rows` rows of a table that somebody has described.
  static BatchEncoder of_part(std::vector<Column> described, std::size_t n_rows, std::size_t first_row);

  // The first time: one source per column, of the next n rows. Those of categories are not looked at.
  void survey(const std::vector<NumericSource>& sources, std::size_t n, Team& team);
  const std::vector<ColumnSurvey>& surveys() const { return surveys_; }
  // Joins what somebody else has seen of n other rows.
  void add_surveys(const std::vector<ColumnSurvey>& surveys, std::size_t n);

  // The columns without codes, when all rows were looked at. Of categories nobody knows then whether some are
  // missing.
  std::vector<Column> described() const;

  // The second time, in the same order.
  void encode(const std::vector<NumericSource>& sources, std::size_t n, Team& team);

  // Of the rows that were encoded, by column: to be compared with those of the first time.
  const std::vector<std::uint64_t>& checksums() const { return checksums_; }
  // Once, after all rows were encoded. Throws std::invalid_argument, naming the column, when rows were not
  // the same both times.
  Dataset take();

 private:
  void check_count(std::size_t so_far, std::size_t n) const;
  struct Part {};
  BatchEncoder(Part, std::vector<Column> described, std::size_t n_rows, std::size_t first_row);
  void begin_codes(std::vector<Column> described);
  void encode_numbers(std::size_t column, const NumericSource& source, std::size_t n,
                      std::vector<ColumnSurvey::Key>* buffer);
  void encode_categories(std::size_t column, const NumericSource& source, std::size_t n,
                         const StopFlag& stop);

  const std::vector<BatchColumn> columns_;
  const std::size_t n_rows_;
  const std::size_t max_bins_;
  const std::size_t widest_;
  const std::size_t first_row_;
  const bool is_part_;  // of rows that somebody else has looked at
  const std::vector<std::size_t> drawn_rows_;
  std::size_t n_surveyed_ = 0, n_encoded_ = 0;
  std::vector<ColumnSurvey> surveys_;
  std::vector<std::uint64_t> checksums_;                 // of the second time
  std::vector<std::vector<ColumnSurvey::Key>> buffers_;  // one per worker
  Dataset dataset_;
};

}  // namespace treewright
