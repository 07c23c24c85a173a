#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "data/batch_encoder.h"
#include "data/encode_table.h"

namespace treewright::test {

namespace {

constexpr std::size_t kRows = 410'000;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Rows {
  std::vector<double> fractions, whole, wide, rare, few, nothing;
  std::vector<float> singles;
  std::vector<std::uint32_t> categories;

  Rows() {
    Random random(7);
    const auto uniform = [&] { return static_cast<double>(random.uniform(1'000'000)) / 1e6; };
    for (std::size_t row = 0; row < kRows; ++row) {
      fractions.push_back(uniform() < 0.2 ? kNan : std::log(uniform() + 1e-9));
      whole.push_back(static_cast<double>(random.uniform(400)) - 17);
      wide.push_back(static_cast<double>(random.uniform(900'000'000)));
      rare.push_back(row % 100'003 == 17 ? uniform() : kNan);
      few.push_back(static_cast<double>(random.uniform(3)) - 0.5);
      nothing.push_back(kNan);
      singles.push_back(static_cast<float>(uniform() * uniform()));
      categories.push_back(static_cast<std::uint32_t>(random.uniform(301)));
    }
  }

  std::vector<NumericSource> sources(std::size_t begin) const {
    const auto of = [&](const auto& values, Scalar type) {
      using T = typename std::decay_t<decltype(values)>::value_type;
      return NumericSource{reinterpret_cast<const std::byte*>(values.data() + begin), sizeof(T), type};
    };
    return {of(fractions, Scalar::kFloat64), of(whole, Scalar::kFloat64),    of(wide, Scalar::kFloat64),
            of(rare, Scalar::kFloat64),      of(few, Scalar::kFloat64),      of(nothing, Scalar::kFloat64),
            of(singles, Scalar::kFloat32),   of(categories, Scalar::kUint32)};
  }

  static std::vector<BatchColumn> kinds() {
    std::vector<BatchColumn> columns(8);
    columns[7] = {ColumnKind::kNominal, 300};
    return columns;
  }
};

const Rows& rows() {
  static const Rows made;
  return made;
}

bool same(const Column& a, const Column& b) {
  bool equal = a.kind == b.kind && a.width == b.width && a.has_missing == b.has_missing &&
               a.n_codes == b.n_codes && a.bytes == b.bytes && a.lower.size() == b.lower.size() &&
               a.upper.size() == b.upper.size() && a.lower.is_single() == b.lower.is_single();
  for (std::size_t i = 0; equal && i < a.lower.size(); ++i) equal = a.lower[i] == b.lower[i];
  for (std::size_t i = 0; equal && i < a.upper.size(); ++i) equal = a.upper[i] == b.upper[i];
  return equal;
}

template <class Visit>
void in_batches(const std::vector<std::size_t>& cuts, Visit&& visit) {
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) visit(cuts[i], cuts[i + 1] - cuts[i]);
}

}  // namespace

TEST("batches give the codes of the whole table, however they are cut and for any number of threads") {
  std::vector<TableColumn> columns;
  const std::vector<NumericSource> sources = rows().sources(0);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    columns.push_back({Rows::kinds()[i].kind, sources[i], Rows::kinds()[i].n_codes});
  }
  Team one(1);
  const Dataset whole = encode_table(columns, kRows, 255, one);
  const std::vector<std::vector<std::size_t>> ways = {{0, kRows}, {0, 1, 1, 70'000, 70'001, 333'333, kRows}};
  for (const std::vector<std::size_t>& cuts : ways) {
    for (const int threads : {1, 3}) {
      Team team(threads);
      BatchEncoder encoder(Rows::kinds(), kRows, 255);
      in_batches(cuts, [&](std::size_t at, std::size_t n) { encoder.survey(rows().sources(at), n, team); });
      in_batches(cuts, [&](std::size_t at, std::size_t n) { encoder.encode(rows().sources(at), n, team); });
      const Dataset found = encoder.take();
      CHECK(found.n_rows == kRows);
      for (std::size_t i = 0; i < sources.size(); ++i) CHECK(same(whole.columns[i], found.columns[i]));
    }
  }
}

TEST("rows that change between the two readings, or are more or fewer, are refused") {
  Team team(1);
  const auto surveyed = [&] {
    BatchEncoder encoder(Rows::kinds(), kRows, 255);
    encoder.survey(rows().sources(0), kRows, team);
    return encoder;
  };
  BatchEncoder swapped = surveyed();
  swapped.encode(rows().sources(1), kRows - 1, team);
  swapped.encode(rows().sources(0), 1, team);
  CHECK(throws<std::invalid_argument>([&] { swapped.take(); }));

  BatchEncoder fewer = surveyed();
  fewer.encode(rows().sources(0), kRows - 1, team);
  CHECK(throws<std::invalid_argument>([&] { fewer.take(); }));

  BatchEncoder more = surveyed();
  CHECK(throws<std::invalid_argument>([&] { more.survey(rows().sources(0), 1, team); }));

  BatchEncoder early(Rows::kinds(), kRows, 255);
  CHECK(throws<std::invalid_argument>([&] { early.encode(rows().sources(0), 1, team); }));
}

TEST("batches are refused where bins need all rows") {
  CHECK(throws<std::invalid_argument>([] { BatchEncoder(Rows::kinds(), 1000, 255); }));
  CHECK(throws<std::invalid_argument>([] { BatchEncoder(Rows::kinds(), kRows, 0); }));
  CHECK(!BatchEncoder::applies(kRows, 256));
}

}  // namespace treewright::test
