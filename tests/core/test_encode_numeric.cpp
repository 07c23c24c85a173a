#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "data/encode_numeric.h"

namespace treewright::test {

namespace {

template <class T>
constexpr Scalar kScalar = std::is_same_v<T, float>         ? Scalar::kFloat32
                           : std::is_same_v<T, double>      ? Scalar::kFloat64
                           : std::is_same_v<T, std::int8_t> ? Scalar::kInt8
                                                            : Scalar::kInt64;

template <class T>
NumericSource source_of(const std::vector<T>& values, std::size_t column = 0, std::size_t n_columns = 1) {
  return {reinterpret_cast<const std::byte*>(values.data() + column),
          static_cast<std::ptrdiff_t>(n_columns * sizeof(T)), kScalar<T>};
}

std::vector<Code> codes_of(const Column& column) {
  return visit_codes(column, [&](const auto* codes) {
    return std::vector<Code>(codes, codes + column.bytes.size() / column.width);
  });
}

// Compares with ranks from a std::map.
template <class T>
void check_exact(const Column& column, const std::vector<T>& values) {
  std::map<double, Code> rank;
  for (const T value : values) {
    if (value == value) rank[static_cast<double>(value)] = 0;
  }
  Code next = 0;
  for (auto& [value, code] : rank) {
    code = ++next;
    CHECK(column.lowest(code) == value);
    CHECK(column.highest(code) == value);
  }
  CHECK(column.n_codes == rank.size());
  CHECK(column.lower.size() == rank.size() && column.upper.empty());
  const std::vector<Code> codes = codes_of(column);
  CHECK(codes.size() == values.size());
  bool has_missing = false;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const bool missing = values[row] != values[row];
    has_missing |= missing;
    CHECK(codes[row] == (missing ? kMissing : rank[static_cast<double>(values[row])]));
  }
  CHECK(column.has_missing == has_missing);
}

// A random number of one of several kinds that the encoder treats differently.
template <class T>
T draw(Random* random, std::uint64_t kind) {
  const double unit = random->uniform01();
  switch (kind) {
    case 0: return static_cast<T>(unit);
    case 1: return static_cast<T>(std::floor(unit * 100) - 50);
    case 2: return static_cast<T>(std::ldexp(unit - 0.5, static_cast<int>(random->uniform(240)) - 120));
    case 3: return static_cast<T>(unit < 0.9 ? 0.25 : unit);
    case 4: return static_cast<T>(1 + std::floor(unit * 500) * 0x1.0p-52);
    case 5: return static_cast<T>(std::floor(unit * 4e9));
    default: {
      constexpr double kInf = std::numeric_limits<double>::infinity();
      const double special[] = {0.0,   -0.0, kInf,  -kInf,        5e-324,
                                1e-45, 3e38, -3e38, std::nan(""), -std::nan("")};
      return static_cast<T>(special[random->uniform(std::size(special))]);
    }
  }
}

template <class T>
std::vector<T> draw_column(Random* random, std::size_t n, std::uint64_t kind) {
  std::vector<T> values(n);
  for (T& value : values) {
    value = random->uniform(20) == 0 ? std::numeric_limits<T>::quiet_NaN() : draw<T>(random, kind);
  }
  return values;
}

template <class T>
void compare_exact() {
  Random random(11);
  Team team(2);
  for (const std::size_t n : {0U, 1U, 5U, 300U, 1023U, 1024U, 3000U, 70'000U}) {
    for (std::uint64_t kind = 0; kind <= 6; ++kind) {
      const std::vector<T> values = draw_column<T>(&random, n, kind);
      check_exact(encode_numeric({source_of(values)}, n, 0, team)[0], values);
    }
  }
}

TEST("encode numeric: float32 ranks equal a map") {
  compare_exact<float>();
}
TEST("encode numeric: float64 ranks equal a map") {
  compare_exact<double>();
}

TEST("encode numeric: integers are ranked") {
  Team team(1);
  const std::vector<std::int8_t> small{-128, 127, 0, 5, -128};
  check_exact(encode_numeric({source_of(small)}, small.size(), 0, team)[0], small);
  const std::vector<std::int64_t> large{1LL << 40, -(1LL << 40), 3, 3, 0};
  check_exact(encode_numeric({source_of(large)}, large.size(), 0, team)[0], large);
}

TEST("encode numeric: mixed types in any layout") {
  Random random(12);
  constexpr std::size_t kRows = 2500, kColumns = 23;
  const std::vector<float> matrix = draw_column<float>(&random, kRows * kColumns, 0);
  const std::vector<double> extra = draw_column<double>(&random, kRows, 2);
  std::vector<NumericSource> sources;
  for (std::size_t c = 0; c < kColumns; ++c) sources.push_back(source_of(matrix, c, kColumns));
  sources.insert(sources.begin() + 6, source_of(extra));
  for (const int n_threads : {1, 2, 4}) {
    Team team(n_threads, [] {});
    const std::vector<Column> columns = encode_numeric(sources, kRows, 0, team);
    CHECK(columns.size() == kColumns + 1);
    check_exact(columns[6], extra);
    for (std::size_t c = 0; c < kColumns; ++c) {
      std::vector<float> values(kRows);
      for (std::size_t row = 0; row < kRows; ++row) values[row] = matrix[row * kColumns + c];
      check_exact(columns[c < 6 ? c : c + 1], values);
    }
  }
}

TEST("encode numeric: bins hold neighbours and equally many rows") {
  Random random(13);
  Team team(2);
  for (const std::uint64_t kind : {0U, 1U, 3U, 5U}) {
    for (const std::size_t max_bins : {2U, 16U, 255U}) {
      const std::vector<float> values = draw_column<float>(&random, 4000, kind);
      const Column exact = encode_numeric({source_of(values)}, 4000, 0, team)[0];
      const Column column = encode_numeric({source_of(values)}, 4000, max_bins, team)[0];
      CHECK(column.n_codes == std::min<std::size_t>(max_bins, exact.n_codes));
      CHECK(column.width == 1);
      if (exact.n_codes <= max_bins) CHECK(codes_of(column) == codes_of(exact));
      std::vector<int> counts(column.n_codes + 1, 0);
      const std::vector<Code> codes = codes_of(column);
      for (std::size_t row = 0; row < values.size(); ++row) {
        ++counts[codes[row]];
        if (codes[row] == kMissing) continue;
        CHECK(column.lowest(codes[row]) <= values[row] && values[row] <= column.highest(codes[row]));
      }
      for (Code code = 2; code <= column.n_codes; ++code)
        CHECK(column.highest(code - 1) < column.lowest(code));
      if (kind != 0) continue;
      const auto [least, most] = std::minmax_element(counts.begin() + 1, counts.end());
      CHECK(*most - *least <= 2);
    }
  }
}

TEST("encode numeric: a stop is obeyed") {
  const std::vector<double> values(10, 0.5);
  Team team(1);
  team.stop().request();
  CHECK(throws<Stopped>([&] { encode_numeric({source_of(values)}, values.size(), 0, team); }));
}

}  // namespace

}  // namespace treewright::test
