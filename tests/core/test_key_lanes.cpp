// Values as whole numbers in a few bits, and the loops over eight of them at a time: the same as done one by
// one, with wide registers and without.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "data/encode_table.h"
#include "forest/key_lanes.h"
#include "forest/key_loops.h"
#include "forest/key_records.h"
#include "split_data.h"

namespace treewright::test {

namespace {

constexpr std::size_t kRows = 6000;

// Single and double precision, few values and many, missing ones, infinity, both zeros, ordered categories.
Dataset mixed_table(std::size_t max_bins = 0) {
  static Random random(17);
  static std::vector<float> floats(kRows), small(kRows), flags(kRows);
  static std::vector<double> doubles(kRows), gaps(kRows);
  static std::vector<std::uint32_t> grades(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    floats[i] = static_cast<float>((random.uniform01() - 0.5) * 100);
    small[i] = static_cast<float>(random.uniform(40)) - 20;
    flags[i] = static_cast<float>(random.uniform(2));
    doubles[i] = std::exp(20 * random.uniform01());
    gaps[i] = random.uniform(10) == 0 ? std::numeric_limits<double>::quiet_NaN() : random.uniform01();
    grades[i] = static_cast<std::uint32_t>(random.uniform(6));  // 0 is missing
  }
  floats[0] = std::numeric_limits<float>::infinity();
  floats[1] = -std::numeric_limits<float>::infinity();
  floats[2] = 0.0F;
  floats[3] = -0.0F;
  floats[4] = std::numeric_limits<float>::denorm_min();
  floats[5] = std::numeric_limits<float>::quiet_NaN();
  std::vector<TableColumn> columns(6);
  const auto source = [](const auto& values, Scalar type) {
    return NumericSource{reinterpret_cast<const std::byte*>(values.data()), sizeof(values[0]), type};
  };
  columns[0].source = source(floats, Scalar::kFloat32);
  columns[1].source = source(small, Scalar::kFloat32);
  columns[2].source = source(flags, Scalar::kFloat32);
  columns[3].source = source(doubles, Scalar::kFloat64);
  columns[4].source = source(gaps, Scalar::kFloat64);
  columns[5] = {ColumnKind::kOrdinal, source(grades, Scalar::kUint32), 5};
  Team team(2);
  return encode_table(columns, kRows, max_bins, team);
}

Code code_at(const Column& column, std::size_t row) {
  return visit_codes(column, [&](const auto* codes) { return static_cast<Code>(codes[row]); });
}

double value_of(const Column& column, Code code) {
  return column.kind == ColumnKind::kNumeric ? column.lowest(code) : static_cast<double>(code);
}

TEST("keys rise with values and tell them") {
  for (const std::size_t max_bins : {0, 50}) {
    const Dataset data = mixed_table(max_bins);
    Team team(2);
    const KeyRecords records(data, KeyColumns::kOrdered, team);
    for (FeatureId f = 0; f < data.n_features(); ++f) {
      const Column& column = data.column(f);
      std::vector<std::int32_t> key_of(static_cast<std::size_t>(column.n_codes) + 1, 0);
      for (std::size_t row = 0; row < kRows; ++row) {
        const Code code = code_at(column, row);
        const std::int32_t key = records.key(row, f);
        key_of[code] = key;
        if (code == kMissing) {
          CHECK(key == records.missing(f));
        } else {
          CHECK(records.value(f, key) == value_of(column, code));
          if (column.kind == ColumnKind::kNumeric) CHECK(records.highest(f, key) == column.highest(code));
        }
      }
      for (Code code = column.has_missing ? 1 : 2; code <= column.n_codes; ++code) {
        CHECK(key_of[code] > key_of[code - 1]);
      }
    }
  }
}

TEST("a threshold lies behind the last key below it") {
  const Dataset data = mixed_table();
  Team team(1);
  const KeyRecords records(data, KeyColumns::kOrdered, team);
  Random random(3);
  for (FeatureId f = 0; f < data.n_features(); ++f) {
    const Column& column = data.column(f);
    for (int turn = 0; turn < 300; ++turn) {
      std::size_t rows[2];
      for (std::size_t& row : rows) {
        do row = static_cast<std::size_t>(random.uniform(kRows));
        while (code_at(column, row) == kMissing || !std::isfinite(value_of(column, code_at(column, row))));
      }
      if (code_at(column, rows[0]) > code_at(column, rows[1])) std::swap(rows[0], rows[1]);
      const double low = value_of(column, code_at(column, rows[0]));
      const double high = value_of(column, code_at(column, rows[1]));
      if (!(low < high)) continue;
      const double threshold = turn % 4 == 0 ? low : low + random.uniform01() * (high - low);
      if (!(threshold < high)) continue;
      const std::int32_t last =
          records.last_below(f, threshold, records.key(rows[0], f), records.key(rows[1], f));
      const std::int32_t same = records.last_below(f, threshold);
      for (std::size_t row = 0; row < kRows; row += 7) {
        const Code code = code_at(column, row);
        if (code == kMissing) continue;
        const bool left = value_of(column, code) <= threshold;
        CHECK((records.key(row, f) <= last) == left);
        CHECK((records.key(row, f) <= same) == left);
      }
    }
  }
}

struct LaneCase {
  std::vector<FeatureId> columns;
  std::vector<RowId> rows;
  std::vector<CountedClasses::Sample> samples;
  LaneCuts cuts;
};

LaneCase random_case(Random& random, const Dataset& data, const KeyRecords& records, std::size_t n_lanes,
                     std::size_t n_rows, std::size_t n_classes) {
  LaneCase made;
  for (std::size_t lane = 0; lane < n_lanes; ++lane) {
    const auto f = static_cast<FeatureId>(random.uniform(data.columns.size()));
    made.columns.push_back(f);
    made.cuts.last[lane] = records.key(static_cast<std::size_t>(random.uniform(kRows)), f);
    made.cuts.missing[lane] = records.missing(f);
    const bool right = data.column(f).has_missing && random.uniform(2) == 0;
    made.cuts.missing_right[lane] = right ? -1 : 0;
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    made.rows.push_back(static_cast<RowId>(random.uniform(kRows)));
    made.samples.push_back({static_cast<std::uint16_t>(random.uniform(n_classes)),
                            static_cast<std::uint16_t>(1 + random.uniform(3))});
  }
  return made;
}

TEST("eight columns at a time are what they are one by one") {
  const Dataset data = mixed_table();
  Team team(1);
  const KeyRecords records(data, KeyColumns::kOrdered, team);
  Random random(5);
  for (int turn = 0; turn < 200; ++turn) {
    const std::size_t n_lanes = 1 + random.uniform(kLanes), n = 1 + random.uniform(70);
    const std::size_t n_classes = 1 + random.uniform(4);
    const LaneCase made = random_case(random, data, records, n_lanes, n, n_classes);
    const KeyLanes lanes(records, made.columns, true);
    const KeyRows from{records.records(), records.stride(), made.rows.data(), n};
    std::vector<std::int32_t> keys(n * kLanes), plain_keys(n * kLanes);
    std::vector<std::uint8_t> sides(n), plain_sides(n), counted_sides(n);
    LaneRanges ranges, plain_ranges;
    read_keys(from, lanes, keys.data(), ranges);
    read_loop(from, lanes, plain_keys.data(), plain_ranges);
    find_sides(keys.data(), made.cuts, n, sides.data());
    sides_loop(keys.data(), made.cuts, n, plain_sides.data());
    LaneCounts two, many, plain_many;
    std::vector<std::int32_t> by_class(2 * n_classes * kLanes, 0), plain_by_class(by_class);
    if (n_classes <= 2) {
      count_two_classes(keys.data(), made.cuts, made.samples.data(), n, counted_sides.data(), two);
    }
    count_many_classes(keys.data(), made.cuts, made.samples.data(), n, counted_sides.data(), n_classes,
                       by_class.data(), many);
    many_classes_loop(keys.data(), made.cuts, made.samples.data(), n, plain_sides.data(), n_classes,
                      plain_by_class.data(), plain_many);
    CHECK(by_class == plain_by_class && sides == plain_sides && sides == counted_sides);
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      const FeatureId f = made.columns[lane];
      std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = 0, rows = 0, weight = 0, second = 0;
      bool missing = false, any = false;
      std::vector<std::int32_t> own(n_classes, 0);
      for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t key = records.key(made.rows[i], f);
        CHECK(keys[i * kLanes + lane] == key && plain_keys[i * kLanes + lane] == key);
        const bool is_missing = code_at(data.column(f), made.rows[i]) == kMissing;
        missing |= is_missing;
        if (!is_missing) {
          low = std::min(low, key);
          high = any ? std::max(high, key) : key;
          any = true;
        }
        const bool right = is_missing ? made.cuts.missing_right[lane] != 0 : key > made.cuts.last[lane];
        CHECK((sides[i] >> lane & 1) == (right ? 1 : 0));
        if (right) continue;
        ++rows;
        weight += made.samples[i].times;
        second += made.samples[i].label == 1 ? made.samples[i].times : 0;
        own[made.samples[i].label] += made.samples[i].times;
      }
      CHECK(ranges.low[lane] == low && plain_ranges.low[lane] == low);
      if (any) CHECK(ranges.high[lane] == high && plain_ranges.high[lane] == high);
      CHECK((ranges.any_missing[lane] != 0) == missing);
      CHECK(many.rows[lane] == rows && plain_many.rows[lane] == rows);
      if (n_classes <= 2) {
        CHECK(two.rows[lane] == rows && two.weight[lane] == weight && two.second[lane] == second);
      }
      for (std::size_t k = 0; k < n_classes; ++k) {
        CHECK(by_class[k * kLanes + lane] + by_class[(n_classes + k) * kLanes + lane] == own[k]);
      }
    }
  }
}

TEST("numbers that go left are summed as one by one, even rows and odd rows by themselves") {
  const Dataset data = mixed_table();
  Team team(1);
  const KeyRecords records(data, KeyColumns::kOrdered, team);
  Random random(7);
  for (int turn = 0; turn < 100; ++turn) {
    const std::size_t n_lanes = 1 + random.uniform(kLanes), n = 1 + random.uniform(70);
    const LaneCase made = random_case(random, data, records, n_lanes, n, 2);
    const KeyLanes lanes(records, made.columns, true);
    const KeyRows from{records.records(), records.stride(), made.rows.data(), n};
    std::vector<std::int32_t> keys(n * kLanes);
    std::vector<std::uint8_t> sides(n), weighted_sides(n), plain_sides(n);
    LaneRanges ranges;
    read_keys(from, lanes, keys.data(), ranges);
    std::vector<WeightedMean<false>::Sample> numbers(n);
    std::vector<WeightedMean<true>::Sample> weighted(n);
    for (std::size_t i = 0; i < n; ++i) {
      weighted[i] = {random.uniform01() - 0.3, 0.1 + random.uniform01()};
      numbers[i] = {weighted[i].y};
    }
    LaneMeans means, weighted_means, plain;
    sum_numbers(keys.data(), made.cuts, numbers.data(), n, sides.data(), means);
    sum_weighted_numbers(keys.data(), made.cuts, weighted.data(), n, weighted_sides.data(), weighted_means);
    numbers_loop(keys.data(), made.cuts, numbers.data(), n, plain_sides.data(), plain);
    CHECK(sides == plain_sides && sides == weighted_sides);
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      double sum[2] = {}, weighted_sum[2] = {}, weight[2] = {};
      std::int32_t rows = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if ((sides[i] >> lane & 1) != 0) continue;
        ++rows;
        sum[i % 2] += numbers[i].sum();
        weighted_sum[i % 2] += weighted[i].sum();
        weight[i % 2] += weighted[i].weight();
      }
      CHECK(means.rows[lane] == rows && plain.rows[lane] == rows && weighted_means.rows[lane] == rows);
      for (const std::size_t half : {0, 1}) {
        CHECK(means.sum[half][lane] == sum[half] && plain.sum[half][lane] == sum[half]);
        CHECK(weighted_means.sum[half][lane] == weighted_sum[half]);
        CHECK(weighted_means.weight[half][lane] == weight[half]);
      }
    }
  }
}

TEST("columns of a wide table stand by themselves and tell the same keys") {
  Random random(13);
  Dataset data;
  data.n_rows = 500;
  for (int c = 0; c < 200; ++c) {
    data.columns.push_back(make_column(ColumnKind::kNumeric, random_codes(random, data.n_rows, 400), 400));
  }
  Team team(2);
  const KeyRecords by_row(data, KeyColumns::kOrdered, team);
  const KeyRecords by_column(data, KeyColumns::kOrdered, team, 14);
  CHECK(by_row.stride() > 4 && by_column.stride() == 4);
  const RowId rows[] = {499, 3, 3, 77};
  const FeatureId columns[] = {199, 0, 5};
  std::int32_t keys[4 * kLanes], other_keys[4 * kLanes];
  LaneRanges ranges, other_ranges;
  read_keys({by_row.records(), by_row.stride(), rows, 4}, KeyLanes(by_row, columns, false), keys, ranges);
  read_keys({by_column.records(), by_column.stride(), rows, 4}, KeyLanes(by_column, columns, false),
            other_keys, other_ranges);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t lane = 0; lane < 3; ++lane) {
      CHECK(keys[i * kLanes + lane] == other_keys[i * kLanes + lane]);
      CHECK(keys[i * kLanes + lane] == by_column.key(rows[i], columns[lane]));
    }
  }
}

TEST("single bits are read from records of one word and of two") {
  Random random(11);
  for (const std::size_t n_columns : {1, 7, 31, 32, 33, 64}) {
    Dataset data;
    data.n_rows = kRows;
    for (std::size_t c = 0; c < n_columns; ++c) {
      data.columns.push_back(make_column(ColumnKind::kNumeric, random_codes(random, kRows, 2), 2));
    }
    Team team(1);
    const KeyRecords records(data, KeyColumns::kTwoValued, team);
    CHECK(records.stride() <= kFlagBytes);
    for (int turn = 0; turn < 30; ++turn) {
      LaneCase made = random_case(random, data, records, 1 + random.uniform(kLanes), 50, 3);
      const KeyLanes lanes(records, made.columns, false);
      const KeyRows from{records.records(), records.stride(), made.rows.data(), 50};
      std::vector<std::uint8_t> sides(50), plain_sides(50), counted_sides(50);
      std::vector<std::int32_t> by_class(2 * 3 * kLanes, 0), plain_by_class(by_class);
      LaneCounts counts, plain_counts;
      find_flag_sides(from, lanes, sides.data());
      count_flags(from, lanes, made.samples.data(), counted_sides.data(), 3, by_class.data(), counts);
      flag_classes_loop(from, lanes, made.samples.data(), plain_sides.data(), 3, plain_by_class.data(),
                        plain_counts);
      CHECK(sides == counted_sides && sides == plain_sides && by_class == plain_by_class);
      for (std::size_t lane = 0; lane < made.columns.size(); ++lane) {
        std::int32_t rows = 0, own[3] = {};
        for (std::size_t i = 0; i < 50; ++i) {
          const bool right = code_at(data.column(made.columns[lane]), made.rows[i]) == 2;
          CHECK((sides[i] >> lane & 1) == (right ? 1 : 0));
          rows += !right;
          own[made.samples[i].label] += right ? 0 : made.samples[i].times;
        }
        CHECK(counts.rows[lane] == rows && plain_counts.rows[lane] == rows);
        for (std::size_t k = 0; k < 3; ++k) {
          CHECK(by_class[k * kLanes + lane] + by_class[(3 + k) * kLanes + lane] == own[k]);
        }
      }
    }
  }
}

}  // namespace

}  // namespace treewright::test
