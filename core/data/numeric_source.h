// NumericSource: where the numbers of one column stand in memory that someone else owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace treewright {

enum class Scalar : std::uint8_t {
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kBool
};

[[noreturn]] inline void throw_unknown_scalar() {
  throw std::logic_error("There is no such type of numbers.");
}

struct NumericSource {
  const std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes from one row to the next
  Scalar type = Scalar::kFloat64;

  // Whether every value of the type is exact as float32. Others are read as float64, which 64-bit integers
  // beyond 2^53 do not fit exactly: predictions compare in float64, so training must too.
  bool fits_float32() const {
    switch (type) {
      case Scalar::kFloat64:
      case Scalar::kInt32:
      case Scalar::kInt64:
      case Scalar::kUint32:
      case Scalar::kUint64: return false;
      case Scalar::kFloat32:
      case Scalar::kInt8:
      case Scalar::kInt16:
      case Scalar::kUint8:
      case Scalar::kUint16:
      case Scalar::kBool: return true;
    }
    throw_unknown_scalar();
  }
};

// Calls visit(T{}) with T the C++ type of the scalar; bool is read as the byte it is stored in.
template <class Visitor>
decltype(auto) visit_scalar(Scalar type, Visitor&& visit) {
  switch (type) {
    case Scalar::kFloat32: return visit(float{});
    case Scalar::kInt8: return visit(std::int8_t{});
    case Scalar::kInt16: return visit(std::int16_t{});
    case Scalar::kInt32: return visit(std::int32_t{});
    case Scalar::kInt64: return visit(std::int64_t{});
    case Scalar::kBool:
    case Scalar::kUint8: return visit(std::uint8_t{});
    case Scalar::kUint16: return visit(std::uint16_t{});
    case Scalar::kUint32: return visit(std::uint32_t{});
    case Scalar::kUint64: return visit(std::uint64_t{});
    case Scalar::kFloat64: return visit(double{});
  }
  throw_unknown_scalar();
}

// NumPy arrays may be unaligned, so the value is copied rather than read through a typed pointer.
template <class T>
inline T load_scalar(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

}  // namespace treewright
