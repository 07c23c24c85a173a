// Every scan against the losses of both sides, computed from their definitions.
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "split_data.h"

namespace treewright::test {

namespace {

template <class Sample>
std::vector<Sample> part(const std::vector<Sample>& rows, std::size_t begin, std::size_t end) {
  return {rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end)};
}

template <class Sample>
double weight_of(const std::vector<Sample>& rows) {
  double weight = 0;
  for (const Sample& row : rows) weight += row.weight();
  return weight;
}

template <class Criterion>
double value_of(const Criterion& criterion, std::vector<typename Criterion::Sample> rows) {
  std::vector<double> value(static_cast<std::size_t>(criterion.outputs()));
  criterion.value(criterion.summarise(rows.data(), rows.size()), value.data());
  return value[value.size() > 1 ? 1 : 0];  // of classes, the second
}

constexpr std::size_t kRows = 40;

TEST("a summary holds the loss by definition") {
  for_each_criterion([](auto criterion, auto, unsigned levels) {
    Random random(1);
    for (std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{3}, kRows}) {
      auto rows = random_rows(criterion, random, n, levels);
      const Summary summary = criterion.summarise(rows.data(), rows.size());
      CHECK(summary.rows == n);
      CHECK(near(summary.weight, weight_of(rows)));
      if (may_be_leaf(criterion, rows)) CHECK(near(summary.loss, loss_of(criterion, rows)));
      CHECK(n > 1 || summary.pure);
    }
  });
}

TEST("rows of one value are pure and lose nothing") {
  for_each_criterion([](auto criterion, auto, unsigned) {
    std::vector<typename decltype(criterion)::Sample> rows(7, make_row(criterion.target, 1.0, 0.1));
    const Summary summary = criterion.summarise(rows.data(), rows.size());
    CHECK(summary.pure);
    CHECK(summary.loss == 0);
    CHECK(value_of(criterion, rows) == 1.0);
  });
}

TEST("the gain is the loss that a cut takes away") {
  for_each_criterion([](auto criterion, auto scanned, unsigned levels) {
    using Scan = typename decltype(scanned)::Scan;
    Random random(2);
    auto rows = random_rows(criterion, random, kRows, levels);
    const Summary summary = criterion.summarise(rows.data(), rows.size());
    typename decltype(criterion)::ScanBuffer buffer;
    Scan scan(criterion, summary.totals.data(), summary.weight, buffer);
    if constexpr (decltype(criterion)::kOrdered) {
      for (const auto& row : rows) scan.place(row);
      scan.placed();
    }
    for (std::size_t cut = 1; cut < rows.size(); ++cut) {
      scan.move(rows[cut - 1]);
      const auto left = part(rows, 0, cut), right = part(rows, cut, rows.size());
      CHECK(near(scan.left_weight(), weight_of(left)));
      CHECK(near(scan.total_weight(), summary.weight));
      if (!may_be_leaf(criterion, left) || !may_be_leaf(criterion, right)) {
        CHECK(scan.gain() == -std::numeric_limits<double>::infinity());
        continue;
      }
      CHECK(
          near(scan.gain(), loss_of(criterion, rows) - loss_of(criterion, left) - loss_of(criterion, right)));
      CHECK(near(scan.left_value(), value_of(criterion, left)));
      CHECK(near(scan.right_value(), value_of(criterion, right)));
    }
  });
}

TEST("moving a bucket equals moving its rows") {
  for_each_bucket_criterion([](auto criterion, auto scanned, unsigned levels) {
    using Scan = typename decltype(scanned)::Scan;
    Random random(3);
    auto rows = random_rows(criterion, random, kRows, levels);
    const Summary summary = criterion.summarise(rows.data(), rows.size());
    typename decltype(criterion)::ScanBuffer buffer, other_buffer;
    Scan by_rows(criterion, summary.totals.data(), summary.weight, buffer);
    Scan by_buckets(criterion, summary.totals.data(), summary.weight, other_buffer);
    for (std::size_t begin = 0; begin + 5 < kRows; begin += 5) {
      std::vector<typename decltype(criterion)::Cell> bucket(
          static_cast<std::size_t>(criterion.target.stride()), 0);
      for (std::size_t i = begin; i < begin + 5; ++i) {
        by_rows.move(rows[i]);
        criterion.target.add(bucket.data(), rows[i]);
      }
      CHECK(criterion.target.rows(bucket.data()) == 5);
      CHECK(near(criterion.target.weight(bucket.data()), weight_of(part(rows, begin, begin + 5))));
      by_buckets.move_bucket(bucket.data());
      CHECK(near(by_rows.left_weight(), by_buckets.left_weight()));
      if (std::isfinite(by_rows.gain())) CHECK(near(by_rows.gain(), by_buckets.gain()));
      CHECK(near(by_rows.left_value(), by_buckets.left_value()));
    }
  });
}

TEST("a large mean costs no digits of the squared error") {
  const SquaredError<false> criterion;
  std::vector<WeightedMean<false>::Sample> rows, shifted;
  for (int i = 0; i < 64; ++i) {
    const double y = (i * 37 % 64) + (i < 20 ? 0.0 : 3.0);
    rows.push_back({y});
    shifted.push_back({y + 0x1p30});  // exact
  }
  const auto gain_at = [&](const auto& of, std::size_t cut) {
    const Summary summary = criterion.summarise(of.data(), of.size());
    SquaredError<false>::ScanBuffer buffer;
    SquaredError<false>::Scan scan(criterion, summary.totals.data(), summary.weight, buffer);
    for (std::size_t i = 0; i < cut; ++i) scan.move(of[i]);
    return scan.gain();
  };
  for (const std::size_t cut : {1U, 20U, 63U}) CHECK(near(gain_at(rows, cut), gain_at(shifted, cut), 1e-12));
  CHECK(near(criterion.summarise(rows.data(), rows.size()).loss,
             criterion.summarise(shifted.data(), shifted.size()).loss, 1e-12));
}

TEST("a class distribution sums to one") {
  const Gini<true> criterion{{3}};
  std::vector<ClassCounts<true>::Sample> rows{{0.5, 0}, {1.5, 2}, {2.0, 2}};
  double value[3];
  criterion.value(criterion.summarise(rows.data(), rows.size()), value);
  CHECK(value[0] == 0.125);
  CHECK(value[1] == 0.0);
  CHECK(value[2] == 0.875);
}

}  // namespace

}  // namespace treewright::test
