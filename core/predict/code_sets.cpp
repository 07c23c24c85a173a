#include "predict/code_sets.h"

#include "tree/table.h"

namespace treewright {

namespace {

bool has_format(const std::uint32_t* table, TableFormat format) {
  return table[0] == static_cast<std::uint32_t>(format);
}

}  // namespace

std::uint64_t CodeSets::add(const std::uint32_t* table, bool missing_goes_right, Code n_codes) {
  // Bits are faster; they may take four times the memory of the table, and always a cache line.
  const std::size_t n_words = (std::size_t{n_codes} + 2 + 31) / 32;
  const bool bits_are_small = n_words <= 4 * std::size_t{table[1]} + 16;
  return bits_are_small ? add_bits(table, missing_goes_right, n_words) : add_list(table, missing_goes_right);
}

std::uint64_t CodeSets::add_bits(const std::uint32_t* table, bool missing_goes_right, std::size_t n_words) {
  const std::uint64_t place = words_.size();
  const std::uint32_t length = table[1];
  const std::uint32_t* data = table + 2;
  const bool of_left = has_format(table, TableFormat::kListLeft);
  words_.resize(words_.size() + n_words, of_left ? ~0U : 0U);
  std::uint32_t* words = words_.data() + place;
  if (has_format(table, TableFormat::kBits)) {
    for (std::size_t i = 0; i < length && i < n_words; ++i) words[i] = data[i];
  } else {
    for (std::size_t i = 0; i < length; ++i) words[data[i] >> 5] ^= 1U << (data[i] & 31U);
  }
  words[0] = missing_goes_right ? words[0] | 1U : words[0] & ~1U;
  return place;
}

std::uint64_t CodeSets::add_list(const std::uint32_t* table, bool missing_goes_right) {
  const std::uint64_t place = words_.size();
  const bool of_left = has_format(table, TableFormat::kListLeft);
  const std::uint32_t* data = table + 2;
  words_.push_back(0);
  if (missing_goes_right != of_left) words_.push_back(kMissing);
  for (std::uint32_t i = 0; i < table[1]; ++i) {
    if (has_format(table, TableFormat::kBits)) {
      for (std::uint32_t bit = 0; bit < 32; ++bit) {
        if (((data[i] >> bit) & 1U) != 0 && 32 * i + bit != kMissing) words_.push_back(32 * i + bit);
      }
    } else if (data[i] != kMissing) {
      words_.push_back(data[i]);
    }
  }
  words_[place] = static_cast<std::uint32_t>(words_.size() - place - 1);
  return place | kIsList | (of_left ? kIsLeft : 0);
}

}  // namespace treewright
