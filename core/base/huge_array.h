// HugeArray: zeroed memory for large arrays that are read at random, on large pages where the system has
// them: fewer look-ups of addresses.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace treewright {

template <class T>
class HugeArray {
 public:
  HugeArray() = default;
  explicit HugeArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    const std::size_t bytes = size * sizeof(T);
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    data_ = static_cast<T*>(::operator new(whole, std::align_val_t{alignment}));
    alignment_ = alignment;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (alignment == kHugePage) madvise(data_, whole, MADV_HUGEPAGE);  // advice: a refusal does no harm
#endif
    std::memset(static_cast<void*>(data_), 0, bytes);
  }
  HugeArray(HugeArray&& other) noexcept { swap(other); }
  HugeArray& operator=(HugeArray&& other) noexcept {
    HugeArray moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~HugeArray() {
    if (data_ != nullptr) ::operator delete(static_cast<void*>(data_), std::align_val_t{alignment_});
  }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;
  static constexpr std::size_t kCacheLine = 64;

  void swap(HugeArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(alignment_, other.alignment_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t alignment_ = kCacheLine;
};

}  // namespace treewright
