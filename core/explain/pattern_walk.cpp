#include "explain/pattern_walk.h"

#include "base/processor.h"

namespace treewright {

namespace {

using Word = PatternWalk::Word;

constexpr std::size_t kFewRows = 8;  // choosing code for the processor takes as long as a few rows

TREEWRIGHT_INLINE void compare_rows(const double* x, double threshold, Word missing, std::size_t n,
                                    Word* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const Word known = x[i] > threshold ? 1 : 0;
    out[i] = x[i] == x[i] ? known : missing;
  }
}

TREEWRIGHT_WIDE_REGISTERS
void compare_many(const double* x, double threshold, Word missing, std::size_t n, Word* out) {
  compare_rows(x, threshold, missing, n, out);
}

// A feature that is tested again is passed only where it was before, too.
TREEWRIGHT_INLINE void pass_rows(const Word* above, const Word* answers, Word branch, Word bit, bool is_new,
                                 std::size_t n, Word* out) {
  if (is_new) {
    for (std::size_t i = 0; i < n; ++i) out[i] = above[i] | (answers[i] == branch ? bit : 0);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = above[i] & (answers[i] == branch ? ~Word{0} : ~bit);
  }
}

TREEWRIGHT_WIDE_REGISTERS
void pass_many(const Word* above, const Word* answers, Word branch, Word bit, bool is_new, std::size_t n,
               Word* out) {
  pass_rows(above, answers, branch, bit, is_new, n, out);
}

TREEWRIGHT_INLINE void append_rows(const Word* patterns, const Word* answers, std::uint32_t bit,
                                   std::size_t n, Word* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = patterns[i] | ((answers[i] & 1) << bit);
}

TREEWRIGHT_WIDE_REGISTERS
void append_many(const Word* patterns, const Word* answers, std::uint32_t bit, std::size_t n, Word* out) {
  append_rows(patterns, answers, bit, n, out);
}

}  // namespace

void PatternWalk::compare(const double* x, double threshold, std::uint32_t missing, std::size_t n,
                          Word* out) {
  if (n < kFewRows) return compare_rows(x, threshold, missing, n, out);
  compare_many(x, threshold, missing, n, out);
}

void PatternWalk::pass(const Word* above, const Word* answers, const GameEdge& edge, std::size_t n,
                       Word* out) {
  const Word bit = Word{1} << edge.place;
  if (n < kFewRows) return pass_rows(above, answers, edge.branch, bit, edge.older < 0, n, out);
  pass_many(above, answers, edge.branch, bit, edge.older < 0, n, out);
}

void PatternWalk::append_bit(const Word* patterns, const Word* answers, std::uint32_t bit, std::size_t n,
                             Word* out) {
  if (n < kFewRows) return append_rows(patterns, answers, bit, n, out);
  append_many(patterns, answers, bit, n, out);
}

}  // namespace treewright
