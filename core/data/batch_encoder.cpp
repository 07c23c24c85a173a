#include "data/batch_encoder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/code_search.h"
#include "data/drawn_bins.h"
#include "data/encode_category.h"

namespace treewright {

namespace {

[[noreturn]] void throw_changed(std::size_t column) {
  throw std::invalid_argument("Column " + std::to_string(column) +
                              " was not the same when it was read for the second time.");
}

CodeSearch<double> search_of(const Column& column) {
  CodeSearch<double> search;
  for (Code code = 1; code < column.n_codes; ++code) search.add_edge(to_key(column.highest(code)));
  return search;
}

}  // namespace

bool BatchEncoder::applies(std::size_t n_rows, std::size_t max_bins) {
  return DrawnBins<double>::applies(n_rows, max_bins);
}

BatchEncoder::BatchEncoder(std::vector<BatchColumn> columns, std::size_t n_rows, std::size_t max_bins,
                           std::size_t first_row)
    : columns_(std::move(columns)),
      n_rows_(n_rows),
      max_bins_(max_bins),
      widest_(widest_table(n_rows)),
      first_row_(first_row),
      is_part_(false),
      drawn_rows_(DrawnBins<double>::rows_to_draw(n_rows)),
      surveys_(columns_.size()),
      checksums_(columns_.size()) {
  if (!applies(n_rows, max_bins)) {
    throw std::invalid_argument("Batches need at most 255 bins and at least 400000 rows.");
  }
  if (n_rows > std::numeric_limits<RowId>::max() - 1) {
    throw std::length_error("A table can have at most 4294967294 rows.");
  }
}

BatchEncoder::BatchEncoder(Part, std::vector<Column> described, std::size_t n_rows, std::size_t first_row)
    : columns_(described.size()),
      n_rows_(n_rows),
      max_bins_(0),
      widest_(0),
      first_row_(first_row),
      is_part_(true),
      checksums_(columns_.size()) {
  begin_codes(std::move(described));
}

BatchEncoder BatchEncoder::of_part(std::vector<Column> described, std::size_t n_rows, std::size_t first_row) {
  return {Part{}, std::move(described), n_rows, first_row};
}

void BatchEncoder::check_count(std::size_t so_far, std::size_t n) const {
  if (so_far + n > n_rows_) {
    throw std::invalid_argument("There are more rows than the " + std::to_string(n_rows_) + " announced.");
  }
}

void BatchEncoder::survey(const std::vector<NumericSource>& sources, std::size_t n, Team& team) {
  check_count(first_row_ + n_surveyed_, n);
  const std::size_t begin = first_row_ + n_surveyed_;
  const auto first = std::lower_bound(drawn_rows_.begin(), drawn_rows_.end(), begin);
  const auto last = std::lower_bound(first, drawn_rows_.end(), begin + n);
  std::vector<std::size_t> drawn(first, last);
  for (std::size_t& row : drawn) row -= begin;
  buffers_.resize(static_cast<std::size_t>(team.size()));
  team.parallel_for(columns_.size(), columns_.size() * n * 4, [&](std::size_t column, int worker) {
    if (columns_[column].kind != ColumnKind::kNumeric) return;
    std::vector<ColumnSurvey::Key>& buffer = buffers_[static_cast<std::size_t>(worker)];
    if (buffer.size() < n) buffer.resize(n);
    surveys_[column].add(sources[column], n, begin, drawn, widest_, buffer.data());
  });
  n_surveyed_ += n;
}

void BatchEncoder::add_surveys(const std::vector<ColumnSurvey>& surveys, std::size_t n) {
  check_count(n_surveyed_, n);
  if (surveys.size() != columns_.size()) {
    throw std::invalid_argument("There must be one survey for every column.");
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) surveys_[c].add(surveys[c], widest_);
  n_surveyed_ += n;
}

std::vector<Column> BatchEncoder::described() const {
  if (n_surveyed_ != n_rows_) {
    throw std::invalid_argument("There were " + std::to_string(n_surveyed_) + " rows instead of the " +
                                std::to_string(n_rows_) + " announced.");
  }
  std::vector<Column> described(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = described[c];
    if (columns_[c].kind == ColumnKind::kNumeric) {
      try {
        surveys_[c].finish(max_bins_, widest_, &column);
      } catch (const std::length_error& error) {
        throw std::invalid_argument("Column " + std::to_string(c) + ": " + error.what());
      }
    } else {
      column.kind = columns_[c].kind;
      column.n_codes = columns_[c].n_codes;
      column.width = code_width(column.kind, column.n_codes);
    }
  }
  return described;
}

void BatchEncoder::begin_codes(std::vector<Column> described) {
  dataset_.columns = std::move(described);
  for (Column& column : dataset_.columns) column.bytes.resize(n_rows_ * column.width);
  dataset_.n_rows = n_rows_;
}

void BatchEncoder::encode(const std::vector<NumericSource>& sources, std::size_t n, Team& team) {
  if (dataset_.columns.empty()) begin_codes(described());
  check_count(n_encoded_, n);
  buffers_.resize(static_cast<std::size_t>(team.size()));
  team.parallel_for(columns_.size(), columns_.size() * n * 10, [&](std::size_t column, int worker) {
    if (dataset_.columns[column].kind == ColumnKind::kNumeric) {
      encode_numbers(column, sources[column], n, &buffers_[static_cast<std::size_t>(worker)]);
    } else {
      encode_categories(column, sources[column], n, team.stop());
    }
  });
  n_encoded_ += n;
}

void BatchEncoder::encode_numbers(std::size_t column, const NumericSource& source, std::size_t n,
                                  std::vector<ColumnSurvey::Key>* buffer) {
  if (buffer->size() < n) buffer->resize(n);
  KeyColumn<double> read;
  read.keys = buffer->data();
  read.whole_numbers = false;  // known already
  read.read(source, 0, n);
  checksums_[column] += ColumnSurvey::checksum_of(buffer->data(), n, first_row_ + n_encoded_);
  Column& out = dataset_.columns[column];
  out.has_missing |= read.has_missing;
  search_of(out).encode(buffer->data(), 0, n, out.bytes.data() + n_encoded_);
}

void BatchEncoder::encode_categories(std::size_t column, const NumericSource& source, std::size_t n,
                                     const StopFlag& stop) {
  Column& out = dataset_.columns[column];
  try {
    const Column part = encode_category(source, n, out.n_codes, out.kind, stop);
    std::copy(part.bytes.begin(), part.bytes.end(),
              out.bytes.begin() + static_cast<std::ptrdiff_t>(n_encoded_ * out.width));
    out.has_missing |= part.has_missing;
  } catch (const std::invalid_argument&) {
    throw_changed(column);  // a category that the first reading did not find
  }
}

Dataset BatchEncoder::take() {
  if (n_encoded_ != n_rows_) {
    throw std::invalid_argument("There were " + std::to_string(n_encoded_) + " rows instead of the " +
                                std::to_string(n_rows_) + " announced.");
  }
  for (std::size_t column = 0; !is_part_ && column < columns_.size(); ++column) {
    if (checksums_[column] != surveys_[column].checksum()) throw_changed(column);
  }
  return std::move(dataset_);
}

}  // namespace treewright
