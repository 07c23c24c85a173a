// A Tree as Python sees it: a dict of NumPy arrays, one per member of Tree, under the member's name.
// Coming in, the arrays are copied and only their types are checked: call check_tree on the result.
// Going out, each array takes over the memory of its vector (only the kinds, a byte per node, are copied).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "tree/named_arrays.h"

namespace treewright {

// The element type that NumPy sees: an enum is shown as its integer.
template <class T>
using ArrayElement =
    typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>, std::type_identity<T>>::type;

template <class T>
const char* element_name() {
  using Element = ArrayElement<T>;
  if constexpr (std::is_same_v<Element, double>) return "float64";
  if constexpr (std::is_same_v<Element, std::uint8_t>) return "uint8";
  if constexpr (std::is_same_v<Element, std::uint32_t>) return "uint32";
  if constexpr (std::is_same_v<Element, std::int32_t>) return "int32";
  return "int64";
}

// Reads arrays[name] into `out`; `outputs`, when given, asks for a 2-D array and receives its second length.
template <class T>
void read_array(const nb::dict& arrays, const char* name, std::vector<T>& out,
                std::int32_t* outputs = nullptr) {
  using Array = nb::ndarray<const ArrayElement<T>, nb::ro, nb::device::cpu>;
  const std::size_t n_dimensions = outputs == nullptr ? 1 : 2;
  Array array;
  if (!nb::try_cast<Array>(arrays[name], array, false) || array.ndim() != n_dimensions) {
    throw std::invalid_argument("tree array '" + std::string(name) + "' must be a " +
                                std::to_string(n_dimensions) + "-D array of " + element_name<T>() + ".");
  }
  const std::size_t n_columns = outputs == nullptr ? 1 : array.shape(1);
  if (outputs != nullptr) {
    if (n_columns < 1 || n_columns > INT32_MAX) {
      throw std::invalid_argument("tree array '" + std::string(name) + "' must have at least one column.");
    }
    *outputs = static_cast<std::int32_t>(n_columns);
  }
  out.resize(array.shape(0) * n_columns);
  const std::int64_t row_stride = array.stride(0);
  const std::int64_t column_stride = outputs == nullptr ? 0 : array.stride(1);
  for (std::size_t i = 0; i < array.shape(0); ++i) {
    const ArrayElement<T>* row = array.data() + static_cast<std::int64_t>(i) * row_stride;
    for (std::size_t k = 0; k < n_columns; ++k) {
      out[i * n_columns + k] = static_cast<T>(row[static_cast<std::int64_t>(k) * column_stride]);
    }
  }
}

// Throws std::invalid_argument for a missing array or a wrong type. Side arrays that are absent are empty.
inline Tree tree_from_arrays(const nb::dict& arrays) {
  Tree tree;
  const auto read = [&](const char* name, auto& vector, auto*... outputs) {
    if (!arrays.contains(name)) {
      throw std::invalid_argument("tree array '" + std::string(name) + "' is missing.");
    }
    read_array(arrays, name, vector, outputs...);
  };
  for_each_node_array(tree, [&](const char* name, auto& vector) { read(name, vector); });
  read("value", tree.value, &tree.outputs);
  read("tables", tree.tables);
  for_each_side_array(tree, [&](const char* name, auto& vector) {
    if (arrays.contains(name)) read_array(arrays, name, vector);
  });
  for_each_missing_array(tree, [&](const char* name, auto& vector) {
    if (arrays.contains(name)) read_array(arrays, name, vector);
  });
  if (tree.missing_rows.empty() && tree.missing_weight.empty()) tree.forget_missing_rows();
  return tree;
}

// The same, but each array leaves the dict as soon as it is copied: a large tree is never there twice.
inline Tree take_tree(nb::dict& arrays) {
  Tree tree;
  const auto take = [&](const char* name, auto& vector, auto*... outputs) {
    if (!arrays.contains(name)) {
      throw std::invalid_argument("tree array '" + std::string(name) + "' is missing.");
    }
    read_array(arrays, name, vector, outputs...);
    nb::del(arrays[name]);
  };
  for_each_node_array(tree, [&](const char* name, auto& vector) { take(name, vector); });
  take("value", tree.value, &tree.outputs);
  take("tables", tree.tables);
  for_each_side_array(tree, [&](const char* name, auto& vector) {
    if (arrays.contains(name)) take(name, vector);
  });
  for_each_missing_array(tree, [&](const char* name, auto& vector) {
    if (arrays.contains(name)) take(name, vector);
  });
  if (tree.missing_rows.empty() && tree.missing_weight.empty()) tree.forget_missing_rows();
  return tree;
}

template <class T>
nb::object own_tree_array(std::vector<T>&& vector) {
  if constexpr (std::is_enum_v<T>) {
    std::vector<ArrayElement<T>> elements(vector.size());
    for (std::size_t i = 0; i < vector.size(); ++i) elements[i] = static_cast<ArrayElement<T>>(vector[i]);
    return own_array(std::move(elements));
  } else {
    return own_array(std::move(vector));
  }
}

// The candidates of a tree alone, with their tables.
inline nb::dict candidate_arrays(Tree&& tree) {
  nb::dict arrays;
  for_each_candidate_array(
      tree, [&](const char* name, auto& vector) { arrays[name] = own_tree_array(std::move(vector)); });
  arrays["tables"] = own_tree_array(std::move(tree.tables));
  return arrays;
}

inline nb::dict arrays_from_tree(Tree&& tree) {
  nb::dict arrays;
  const auto put = [&](const char* name, auto& vector) { arrays[name] = own_tree_array(std::move(vector)); };
  for_each_node_array(tree, put);
  for_each_missing_array(tree, put);
  const auto n_outputs = static_cast<std::size_t>(tree.outputs);
  const std::size_t n_nodes = tree.value.size() / n_outputs;
  arrays["value"] = own_array(std::move(tree.value), {n_nodes, n_outputs});
  put("tables", tree.tables);
  for_each_side_array(tree, put);
  return arrays;
}

}  // namespace treewright
