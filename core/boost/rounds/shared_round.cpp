#include "boost/rounds/shared_round.h"

#include <algorithm>
#include <span>

#include "boost/histogram/row_blocks.h"

namespace treewright {

namespace {

// The sizes of each block of the rows of all processes as numbers, those of this one filled in.
std::vector<double> block_sizes(const Gradients& gradients, const RowExchange& others, Team& team) {
  constexpr std::size_t kEach = GradientSizes::kNumbers;
  const std::size_t n = gradients.gradient.size(), n_all = others.n_rows();
  const std::size_t block_rows = RowBlocks::rows_per_block(n_all);
  const std::size_t first = others.first_row() / block_rows;
  std::vector<double> numbers((n_all + block_rows - 1) / block_rows * kEach, 0.0);
  team.parallel_for((n + block_rows - 1) / block_rows, n, [&](std::size_t block, int) {
    GradientSizes sizes;
    SeenGradients seen;
    const std::size_t end = std::min(n, (block + 1) * block_rows);
    for (std::size_t tile = block * block_rows; tile < end; tile += kTileRows) {
      const std::size_t size = std::min(end - tile, kTileRows);
      const auto [g, h] = seen.of(gradients, tile, size);
      sizes.add(g, h, size);
    }
    sizes.write(numbers.data() + (first + block) * kEach);
  });
  return numbers;
}

}  // namespace

SharedRound SharedRound::meet(const std::vector<Gradients>& gradients, const ChanceGain& chance,
                              std::span<double> also, RowExchange& others, Team& team) {
  std::vector<double> numbers(also.begin(), also.end());
  std::vector<std::size_t> ends{also.size()};
  for (const Gradients& of_output : gradients) {
    for (const std::vector<double>& part :
         {block_sizes(of_output, others, team), chance.block_sums(of_output, team)}) {
      numbers.insert(numbers.end(), part.begin(), part.end());
      ends.push_back(numbers.size());
    }
  }
  others.gather(numbers);
  SharedRound round;
  std::copy_n(numbers.begin(), also.size(), also.begin());
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    Output& output = round.outputs.emplace_back();
    // In order: the same every time.
    for (std::size_t at = ends[2 * k]; at < ends[2 * k + 1]; at += GradientSizes::kNumbers) {
      output.sizes.add(GradientSizes::read(&numbers[at]));
    }
    const std::size_t begin = ends[2 * k + 1];
    output.chance_gain = chance.of(std::span(numbers).subspan(begin, ends[2 * k + 2] - begin));
  }
  return round;
}

}  // namespace treewright
