// What every binding needs: arrays that own their memory, and long calls that Ctrl-C can stop.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/stop.h"
#include "bind/stop_request.h"

namespace treewright {

namespace nb = nanobind;

// A one-dimensional array that Python passes to be read.
template <class T>
using Vector = nb::ndarray<const T, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

// None stands for no numbers.
inline std::span<const double> span_of(const std::optional<Vector<double>>& array) {
  return array ? span_of(*array) : std::span<const double>{};
}

template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

// A NumPy array of the given shape that takes over the vector's memory.
template <class T>
NumpyArray<T> own_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  nb::capsule owner(kept.get(), [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  kept.release();
  return NumpyArray<T>(data, shape, owner);
}

// The same as a Python object, for dicts and tuples.
template <class T>
nb::object own_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return nb::cast(own_numpy(std::move(values), shape));
}

template <class T>
nb::object own_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return own_array(std::move(values), {size});
}

// Runs Python's signal handlers; what they raise (KeyboardInterrupt) leaves as a C++ exception.
inline void check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Python handles signals in its main thread only; elsewhere taking the GIL every 20 ms would be a waste.
inline bool on_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("main_thread")().attr("ident").equal(threading.attr("get_ident")());
}

// What the owner of a team runs now and then: in the main thread Python's signal handlers, elsewhere a look
// at the request to stop that the thread obeys, if any.
inline std::function<void()> stop_poll() {
  if (on_main_thread()) return check_signals;
  const std::shared_ptr<const StopFlag> obeyed = StopRequest::obeyed();
  if (obeyed == nullptr) return {};
  return [obeyed] { obeyed->throw_if_requested(); };
}

// Returns body(team) with the GIL released. Ctrl-C ends the call with KeyboardInterrupt as soon as the
// workers have seen it, a request to stop with Stopped. The body must not touch Python objects.
template <class Body>
auto run_interruptible(int n_threads, Body&& body) {
  const std::function<void()> poll = stop_poll();
  const nb::gil_scoped_release release;
  Team team(n_threads, poll);
  return std::forward<Body>(body)(team);
}

}  // namespace treewright
