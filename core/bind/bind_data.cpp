// Python's view of the encoded data: Dataset from a matrix or from columns.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "data/batch_encoder.h"
#include "data/dataset.h"
#include "data/encode_category.h"
#include "data/encode_sparse.h"
#include "data/encode_table.h"

namespace treewright {

namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

// The scalar type of an array, or an error that names the array.
Scalar scalar_of(const Array& array, const std::string& name) {
  const nb::dlpack::dtype dtype = array.dtype();
  const auto is = [&](auto type) { return dtype == nb::dtype<decltype(type)>(); };
  if (is(float{})) return Scalar::kFloat32;
  if (is(double{})) return Scalar::kFloat64;
  if (is(std::int8_t{})) return Scalar::kInt8;
  if (is(std::int16_t{})) return Scalar::kInt16;
  if (is(std::int32_t{})) return Scalar::kInt32;
  if (is(std::int64_t{})) return Scalar::kInt64;
  if (is(std::uint8_t{})) return Scalar::kUint8;
  if (is(std::uint16_t{})) return Scalar::kUint16;
  if (is(std::uint32_t{})) return Scalar::kUint32;
  if (is(std::uint64_t{})) return Scalar::kUint64;
  if (is(bool{})) return Scalar::kBool;
  throw nb::type_error((name + " must hold float32, float64, integers of 8 to 64 bits or bool.").c_str());
}

std::ptrdiff_t stride_bytes(const Array& array, std::size_t dimension) {
  return static_cast<std::ptrdiff_t>(array.stride(dimension)) * static_cast<std::ptrdiff_t>(array.itemsize());
}

std::size_t checked_bins(std::int64_t max_bins) {
  if (max_bins < 0) throw std::invalid_argument("max_bins must be 0 (exact) or the largest number of bins.");
  return static_cast<std::size_t>(max_bins);
}

Dataset from_matrix(const Array& matrix, std::int64_t max_bins, int n_threads) {
  if (matrix.ndim() != 2) throw std::invalid_argument("The matrix must be 2-D.");
  const Scalar type = scalar_of(matrix, "The matrix");
  if (type != Scalar::kFloat32 && type != Scalar::kFloat64) {
    throw nb::type_error("The matrix must be of float32 or float64.");
  }
  const auto* data = static_cast<const std::byte*>(matrix.data());
  std::vector<TableColumn> columns(matrix.shape(1));
  for (std::size_t f = 0; f < columns.size(); ++f) {
    columns[f].source = {data + static_cast<std::ptrdiff_t>(f) * stride_bytes(matrix, 1),
                         stride_bytes(matrix, 0), type};
  }
  const std::size_t n_rows = matrix.shape(0);
  const std::size_t bins = checked_bins(max_bins);
  return run_interruptible(n_threads, [&](Team& team) { return encode_table(columns, n_rows, bins, team); });
}

// The kinds of columns as Python gives them, checked.
std::vector<BatchColumn> kinds_of(const std::vector<int>& kinds, const std::vector<std::int64_t>& n_codes) {
  if (kinds.size() != n_codes.size()) {
    throw std::invalid_argument("columns, kinds and n_codes must have the same length.");
  }
  std::vector<BatchColumn> columns(kinds.size());
  for (std::size_t f = 0; f < kinds.size(); ++f) {
    const std::string name = "Column " + std::to_string(f);
    if (kinds[f] < 0 || kinds[f] > 2) throw std::invalid_argument(name + ": the kind must be 0, 1 or 2.");
    if (n_codes[f] < 0 || n_codes[f] > kMaxCodes) {
      throw std::invalid_argument(name + ": n_codes must be between 0 and 4294967294.");
    }
    columns[f] = {static_cast<ColumnKind>(kinds[f]), static_cast<Code>(n_codes[f])};
  }
  return columns;
}

// Where the values of 1-D arrays of equal length stand, and that length.
std::pair<std::vector<NumericSource>, std::size_t> sources_of(const std::vector<Array>& arrays,
                                                              const std::vector<BatchColumn>& columns) {
  if (arrays.size() != columns.size()) {
    throw std::invalid_argument("columns, kinds and n_codes must have the same length.");
  }
  std::vector<NumericSource> sources(arrays.size());
  std::size_t n_rows = 0;
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    const Array& array = arrays[f];
    const std::string name = "Column " + std::to_string(f);
    if (array.ndim() != 1) throw std::invalid_argument(name + " must be 1-D.");
    if (f == 0) n_rows = array.shape(0);
    if (array.shape(0) != n_rows) throw std::invalid_argument(name + " differs in length from column 0.");
    sources[f] = {static_cast<const std::byte*>(array.data()), stride_bytes(array, 0),
                  scalar_of(array, name)};
    if (columns[f].kind != ColumnKind::kNumeric && !holds_codes(sources[f].type)) {
      throw nb::type_error((name + " holds categories, so it must be of uint8, uint16 or uint32.").c_str());
    }
  }
  return {std::move(sources), n_rows};
}

Dataset from_columns(const std::vector<Array>& arrays, const std::vector<int>& kinds,
                     const std::vector<std::int64_t>& n_codes, std::int64_t max_bins, int n_threads) {
  const std::vector<BatchColumn> described = kinds_of(kinds, n_codes);
  const auto [sources, n_rows] = sources_of(arrays, described);
  std::vector<TableColumn> columns(arrays.size());
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    columns[f] = {described[f].kind, sources[f], described[f].n_codes};
  }
  const std::size_t bins = checked_bins(max_bins);
  const std::size_t length = n_rows;
  return run_interruptible(n_threads, [&](Team& team) { return encode_table(columns, length, bins, team); });
}

// The stored entries of a matrix by columns; categories, given as codes, replace some of its columns.
Dataset from_sparse(const Array& values, const Vector<RowId>& rows, const Vector<std::int64_t>& begin,
                    std::size_t n_rows, const std::vector<std::int64_t>& coded,
                    const std::vector<Array>& arrays, const std::vector<int>& kinds,
                    const std::vector<std::int64_t>& n_codes, bool keep_sparse, std::int64_t max_bins,
                    int n_threads) {
  const Scalar type = scalar_of(values, "The values");
  const bool is_vector = values.ndim() == 1;
  // An array of nothing may have any stride.
  const bool is_whole =
      is_vector &&
      (values.shape(0) < 2 || stride_bytes(values, 0) == static_cast<std::ptrdiff_t>(values.itemsize()));
  if ((type != Scalar::kFloat32 && type != Scalar::kFloat64) || !is_whole) {
    throw nb::type_error("The values must be a 1-D array of float32 or float64.");
  }
  SparseMatrix matrix;
  matrix.values = values.data();
  matrix.is_single = type == Scalar::kFloat32;
  matrix.rows = rows.data();
  matrix.begin = begin.data();
  matrix.n_rows = n_rows;
  if (begin.shape(0) == 0 || begin(0) != 0) throw std::invalid_argument("Columns must begin at entry 0.");
  matrix.n_columns = begin.shape(0) - 1;
  for (std::size_t c = 0; c < matrix.n_columns; ++c) {
    if (begin(c + 1) < begin(c)) throw std::invalid_argument("A column must not end before it begins.");
  }
  if (matrix.n_stored() > values.shape(0) || values.shape(0) != rows.shape(0)) {
    throw std::invalid_argument("There must be a value and a row for every entry.");
  }
  for (std::size_t c = 0; c < matrix.n_columns; ++c) {
    for (auto i = static_cast<std::size_t>(begin(c)); i < static_cast<std::size_t>(begin(c + 1)); ++i) {
      const bool ascends = i == static_cast<std::size_t>(begin(c)) || rows(i - 1) < rows(i);
      if (!ascends || rows(i) >= n_rows) throw std::invalid_argument("Rows of a column must ascend.");
    }
  }
  const std::vector<BatchColumn> described = kinds_of(kinds, n_codes);
  const auto found = sources_of(arrays, described);
  if (coded.size() != arrays.size() || (!coded.empty() && found.second != n_rows)) {
    throw std::invalid_argument("There must be codes for every row of a coded column.");
  }
  std::vector<TableColumn> columns(arrays.size());
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    if (coded[f] < 0 || static_cast<std::size_t>(coded[f]) >= matrix.n_columns) {
      throw nb::index_error("A coded column is not one of the matrix.");
    }
    columns[f] = {described[f].kind, found.first[f], described[f].n_codes};
  }
  const std::size_t bins = checked_bins(max_bins);
  return run_interruptible(n_threads, [&](Team& team) {
    Dataset dataset;
    dataset.n_rows = n_rows;
    dataset.columns = encode_sparse(matrix, bins, keep_sparse, team);
    Dataset others = encode_table(columns, n_rows, bins, team);
    for (std::size_t f = 0; f < coded.size(); ++f) {
      dataset.columns[static_cast<std::size_t>(coded[f])] = std::move(others.columns[f]);
    }
    return dataset;
  });
}

// A column without its codes, on the way between processes: kind, number of codes, whether some are missing,
// and the values behind the codes, in single precision where they came so.
using PyColumn = std::tuple<int, std::int64_t, bool, nb::object, nb::object>;
using Words = nb::ndarray<const std::uint64_t, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object values_array(const ValueList& values) {
  if (values.is_single()) {
    std::vector<float> singles(values.size());
    for (std::size_t i = 0; i < singles.size(); ++i) singles[i] = static_cast<float>(values[i]);
    return own_array(std::move(singles));
  }
  std::vector<double> doubles(values.size());
  for (std::size_t i = 0; i < doubles.size(); ++i) doubles[i] = values[i];
  return own_array(std::move(doubles));
}

template <class T>
std::vector<T> vector_of(const Array& array) {
  const auto* data = static_cast<const T*>(array.data());
  return {data, data + array.shape(0)};
}

ValueList value_list(const nb::object& object) {
  const Array array = nb::cast<Array>(object);
  if (array.ndim() != 1) throw std::invalid_argument("The values behind codes must be 1-D.");
  if (array.dtype() == nb::dtype<float>()) return vector_of<float>(array);
  if (array.dtype() == nb::dtype<double>()) return vector_of<double>(array);
  throw nb::type_error("The values behind codes must be of float32 or float64.");
}

PyColumn described_column(const Column& column) {
  return {static_cast<int>(column.kind), static_cast<std::int64_t>(column.n_codes), column.has_missing,
          values_array(column.lower), values_array(column.upper)};
}

std::vector<BatchColumn> kinds_of(const std::vector<PyColumn>& described) {
  std::vector<int> kinds;
  std::vector<std::int64_t> n_codes;
  for (const PyColumn& column : described) {
    kinds.push_back(std::get<0>(column));
    n_codes.push_back(std::get<1>(column));
  }
  return kinds_of(kinds, n_codes);
}

std::vector<Column> columns_of(const std::vector<PyColumn>& described) {
  const std::vector<BatchColumn> kinds = kinds_of(described);
  std::vector<Column> columns(described.size());
  for (std::size_t f = 0; f < described.size(); ++f) {
    const auto& [kind, n_codes, has_missing, lower, upper] = described[f];
    Column& column = columns[f];
    column.kind = kinds[f].kind;
    column.n_codes = kinds[f].n_codes;
    column.width = code_width(column.kind, column.n_codes);
    column.has_missing = has_missing;
    column.lower = value_list(lower);
    column.upper = value_list(upper);
    const bool is_numeric = column.kind == ColumnKind::kNumeric;
    const std::size_t expected = is_numeric ? column.n_codes : 0;
    if (column.lower.size() != expected || (!column.upper.empty() && column.upper.size() != expected)) {
      throw std::invalid_argument("Column " + std::to_string(f) + " has not one value per code.");
    }
  }
  return columns;
}

// A table of codes that were made elsewhere.
Dataset from_codes(const std::vector<Array>& codes, const std::vector<PyColumn>& described) {
  if (codes.size() != described.size()) {
    throw std::invalid_argument("There must be codes for every column.");
  }
  Dataset dataset;
  dataset.columns = columns_of(described);
  const auto found = sources_of(codes, std::vector<BatchColumn>(codes.size()));
  dataset.n_rows = found.second;
  for (std::size_t f = 0; f < codes.size(); ++f) {
    Column& column = dataset.columns[f];
    const Array& array = codes[f];
    if (array.itemsize() != column.width || stride_bytes(array, 0) != column.width) {
      throw std::invalid_argument("The codes of column " + std::to_string(f) + " have another width.");
    }
    const auto* data = static_cast<const std::uint8_t*>(array.data());
    column.bytes.assign(data, data + dataset.n_rows * column.width);
    visit_codes(column, [&](const auto* values) {
      for (std::size_t row = 0; row < dataset.n_rows; ++row) {
        if (values[row] > column.n_codes) {
          throw std::invalid_argument("Column " + std::to_string(f) +
                                      " has a code that it does not describe.");
        }
      }
    });
  }
  return dataset;
}

// Batches of one table, read twice; the kinds are asked again for each batch of arrays.
class PyBatchEncoder {
 public:
  PyBatchEncoder(const std::vector<int>& kinds, const std::vector<std::int64_t>& n_codes, std::size_t n_rows,
                 std::int64_t max_bins, std::size_t first_row)
      : columns_(kinds_of(kinds, n_codes)), encoder_(columns_, n_rows, checked_bins(max_bins), first_row) {}

  // Rows of a table that somebody has described, as described() does.
  PyBatchEncoder(const std::vector<PyColumn>& described, std::size_t n_rows, std::size_t first_row)
      : columns_(kinds_of(described)),
        encoder_(BatchEncoder::of_part(columns_of(described), n_rows, first_row)) {}

  void survey(const std::vector<Array>& arrays, int n_threads) {
    const auto [sources, n] = sources_of(arrays, columns_);
    const auto& all = sources;
    const std::size_t rows = n;
    run_interruptible(n_threads, [&](Team& team) { encoder_.survey(all, rows, team); });
  }

  void encode(const std::vector<Array>& arrays, int n_threads) {
    const auto [sources, n] = sources_of(arrays, columns_);
    const auto& all = sources;
    const std::size_t rows = n;
    run_interruptible(n_threads, [&](Team& team) { encoder_.encode(all, rows, team); });
  }

  Dataset dataset() { return encoder_.take(); }

  std::vector<nb::object> surveys() const {
    std::vector<nb::object> numbers;
    for (const ColumnSurvey& survey : encoder_.surveys()) numbers.push_back(own_array(survey.write()));
    return numbers;
  }

  void add_surveys(const std::vector<Words>& numbers, std::size_t n) {
    std::vector<ColumnSurvey> surveys;
    for (const Words& of_column : numbers) {
      surveys.push_back(ColumnSurvey::read({of_column.data(), of_column.shape(0)}));
    }
    encoder_.add_surveys(surveys, n);
  }

  std::vector<PyColumn> described() const {
    std::vector<PyColumn> columns;
    for (const Column& column : encoder_.described()) columns.push_back(described_column(column));
    return columns;
  }

  std::vector<std::uint64_t> checksums() const { return encoder_.checksums(); }
  std::vector<std::uint64_t> surveyed_checksums() const {
    std::vector<std::uint64_t> sums;
    for (const ColumnSurvey& survey : encoder_.surveys()) sums.push_back(survey.checksum());
    return sums;
  }

 private:
  std::vector<BatchColumn> columns_;
  BatchEncoder encoder_;
};

const Column& column_at(const Dataset& dataset, std::int64_t feature) {
  if (feature < 0 || feature >= dataset.n_features()) {
    throw nb::index_error(("There is no feature " + std::to_string(feature) + ".").c_str());
  }
  return dataset.column(static_cast<FeatureId>(feature));
}

std::vector<FeatureId> missing_features(const Dataset& dataset) {
  std::vector<FeatureId> found;
  for (FeatureId f = 0; f < dataset.n_features(); ++f) {
    if (dataset.column(f).has_missing) found.push_back(f);
  }
  return found;
}

// A read-only view; the array keeps the dataset alive.
nb::ndarray<nb::numpy, nb::ro> codes(nb::handle_t<Dataset> self, std::int64_t feature) {
  const Dataset& dataset = nb::cast<const Dataset&>(self);
  return visit_codes(column_at(dataset, feature), [&]<class T>(const T* data) {
    return nb::ndarray<nb::numpy, nb::ro>(data, {dataset.n_rows}, self, {}, nb::dtype<T>());
  });
}

std::pair<NumpyArray<double>, NumpyArray<double>> values(const Dataset& dataset, std::int64_t feature) {
  const Column& column = column_at(dataset, feature);
  const std::size_t n = column.lower.size();
  std::vector<double> lower(n), upper(n);
  for (std::size_t i = 0; i < n; ++i) {
    lower[i] = column.lowest(static_cast<Code>(i + 1));
    upper[i] = column.highest(static_cast<Code>(i + 1));
  }
  return {own_numpy(std::move(lower), {n}), own_numpy(std::move(upper), {n})};
}

}  // namespace

void bind_data(nb::module_& m) {
  m.attr("COLUMN_NUMERIC") = static_cast<std::int64_t>(ColumnKind::kNumeric);
  m.attr("COLUMN_NOMINAL") = static_cast<std::int64_t>(ColumnKind::kNominal);
  m.attr("COLUMN_ORDINAL") = static_cast<std::int64_t>(ColumnKind::kOrdinal);

  nb::class_<Dataset>(m, "Dataset", "The encoded columns of one table: an integer code per row, 0 = missing.")
      .def_static(
          "from_matrix", &from_matrix, nb::arg("matrix"), nb::arg("max_bins") = 0, nb::arg("n_threads") = 1,
          "Encode a 2-D float32 or float64 array, any strides, NaN = missing.\n\n"
          "max_bins = 0 gives every distinct value its own code, otherwise at most max_bins quantile bins.")
      .def_static(
          "from_sparse", &from_sparse, nb::arg("values"), nb::arg("rows"), nb::arg("begin"),
          nb::arg("n_rows"), nb::arg("coded"), nb::arg("columns"), nb::arg("kinds"), nb::arg("n_codes"),
          nb::arg("keep_sparse") = false, nb::arg("max_bins") = 0, nb::arg("n_threads") = 1,
          "Encode a matrix by columns: what is not stored is 0. coded: positions of the columns that "
          "the next three describe\nas in from_columns. keep_sparse: columns stay lists of entries "
          "where that takes less memory; such a data set is for\nhistogram boosting and forests alone.")
      .def_static("from_columns", &from_columns, nb::arg("columns"), nb::arg("kinds"), nb::arg("n_codes"),
                  nb::arg("max_bins") = 0, nb::arg("n_threads") = 1,
                  "Encode 1-D arrays of equal length.\n\n"
                  "kinds: 0 numeric (floats with NaN = missing, integers, bool), 1 nominal, 2 ordinal\n"
                  "(unsigned codes of 8, 16 or 32 bits, 0 = missing, 1 ... n_codes). n_codes is not used for "
                  "numeric columns.")
      .def_static("from_codes", &from_codes, nb::arg("codes"), nb::arg("described"),
                  "Make a table of codes that a BatchEncoder made elsewhere.")
      .def_ro("n_rows", &Dataset::n_rows)
      .def_prop_ro("n_features", &Dataset::n_features)
      .def_prop_ro("missing_features", &missing_features, "Features without a value in some row.")
      .def_prop_ro("is_sparse", &Dataset::has_sparse, "Whether some columns are lists of entries.")
      .def_prop_ro("code_bytes", &Dataset::code_bytes, "Bytes of memory that the codes take.")
      .def(
          "n_codes",
          [](const Dataset& self, std::int64_t feature) { return column_at(self, feature).n_codes; },
          nb::arg("feature"), "Number of codes of a feature, without the missing one.")
      .def("codes", &codes, nb::arg("feature"), "The codes of a feature, read-only and without a copy.")
      .def("values", &values, nb::arg("feature"),
           "The smallest and the largest value behind each code, from code 1 on; empty for categories.");

  nb::class_<PyBatchEncoder>(m, "BatchEncoder",
                             "A Dataset from batches of rows that come twice; it equals that of all rows.")
      .def(nb::init<const std::vector<int>&, const std::vector<std::int64_t>&, std::size_t, std::int64_t,
                    std::size_t>(),
           nb::arg("kinds"), nb::arg("n_codes"), nb::arg("n_rows"), nb::arg("max_bins"),
           nb::arg("first_row") = 0)
      .def_static(
          "of_part",
          [](const std::vector<PyColumn>& described, std::size_t n_rows, std::size_t first_row) {
            return std::make_unique<PyBatchEncoder>(described, n_rows, first_row);
          },
          nb::arg("described"), nb::arg("n_rows"), nb::arg("first_row"),
          "Encode a part of a table that `described` of another encoder describes.")
      .def("surveys", &PyBatchEncoder::surveys, "What was seen so far, by column, as plain numbers.")
      .def("add_surveys", &PyBatchEncoder::add_surveys, nb::arg("surveys"), nb::arg("n_rows"),
           "Join what another encoder has seen of other rows.")
      .def("described", &PyBatchEncoder::described,
           "The columns without codes: kind, number of codes, whether some are missing, lowest and highest "
           "values.")
      .def("checksums", &PyBatchEncoder::checksums, "Of the rows that were encoded, by column.")
      .def("surveyed_checksums", &PyBatchEncoder::surveyed_checksums, "Of the rows that were looked at.")
      .def_static("applies", &BatchEncoder::applies, nb::arg("n_rows"), nb::arg("max_bins"),
                  "Whether bins come from drawn rows, so that they need not all be in memory.")
      .def("survey", &PyBatchEncoder::survey, nb::arg("columns"), nb::arg("n_threads") = 1,
           "Look at the next rows for the first time; columns as in Dataset.from_columns.")
      .def("encode", &PyBatchEncoder::encode, nb::arg("columns"), nb::arg("n_threads") = 1,
           "Encode the next rows, when all were looked at.")
      .def("dataset", &PyBatchEncoder::dataset, "The encoded table, once.");
}

}  // namespace treewright
