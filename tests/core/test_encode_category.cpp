#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"
#include "data/encode_category.h"
#include "data/encode_table.h"

namespace treewright::test {

namespace {

Column encode(const std::vector<Code>& codes, Code n_codes) {
  const StopFlag stop;
  const NumericSource source{reinterpret_cast<const std::byte*>(codes.data()), sizeof(Code), Scalar::kUint32};
  return encode_category(source, codes.size(), n_codes, ColumnKind::kNominal, stop);
}

TEST("encode category: the narrowest width leaves room for an unseen code") {
  const std::pair<Code, int> expected[] = {{0, 1},     {254, 1},   {255, 2},
                                           {65534, 2}, {65535, 4}, {0xFFFFFFFE, 4}};
  for (const auto& [n_codes, width] : expected) {
    const std::vector<Code> codes{n_codes, 0, n_codes / 2};
    const Column column = encode(codes, n_codes);
    CHECK(column.width == width && column.n_codes == n_codes && column.has_missing);
    visit_codes(column, [&](const auto* stored) {
      for (std::size_t row = 0; row < codes.size(); ++row) CHECK(stored[row] == codes[row]);
    });
  }
  CHECK(!encode({1, 2}, 2).has_missing);
}

TEST("visit codes: a width that no column has is refused") {
  Column column = encode({1, 2}, 2);
  for (const int width : {0, 3, 8}) {
    column.width = static_cast<std::uint8_t>(width);
    CHECK(throws<std::logic_error>([&] { visit_codes(column, [](const auto*) {}); }));
  }
}

TEST("encode category: a code out of range is named") {
  std::string message;
  try {
    encode({1, 2, 9, 1}, 2);
  } catch (const std::invalid_argument& error) {
    message = error.what();
  }
  CHECK(message == "Row 2 holds category code 9, but the column has only 2 categories.");
  CHECK(throws<std::invalid_argument>([] { encode({1}, 0xFFFFFFFF); }));
}

TEST("encode table: the order of the columns is kept") {
  const std::vector<Code> codes{2, 1, 0};
  const std::vector<double> numbers{0.5, 0.25, 0.5};
  TableColumn nominal{
      ColumnKind::kNominal, {reinterpret_cast<const std::byte*>(codes.data()), 4, Scalar::kUint32}, 2};
  TableColumn numeric{
      ColumnKind::kNumeric, {reinterpret_cast<const std::byte*>(numbers.data()), 8, Scalar::kFloat64}, 0};
  Team team(2);
  const Dataset dataset = encode_table({nominal, numeric, nominal}, 3, 0, team);
  CHECK(dataset.n_features() == 3 && dataset.n_rows == 3 && dataset.code_bytes() == 9);
  CHECK(dataset.column(0).bytes == (std::vector<std::uint8_t>{2, 1, 0}));
  CHECK(dataset.column(1).bytes == (std::vector<std::uint8_t>{2, 1, 2}));
  CHECK(dataset.column(2).bytes == dataset.column(0).bytes);
  CHECK(dataset.column(1).kind == ColumnKind::kNumeric && dataset.column(2).kind == ColumnKind::kNominal);
}

}  // namespace

}  // namespace treewright::test
