// The engine's errors as Python exceptions. Python asks for their type and their fields, never for their
// text.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>

#include "base/row_error.h"
#include "base/stop.h"
#include "bind/bind.h"

namespace treewright {

namespace {

// Raises the Python type with the fields of the C++ error; any other error goes on to the next translator.
void raise_row_error(const std::exception_ptr& thrown, void* type) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RowError& error) {
    const nb::object raised = nb::borrow(static_cast<PyObject*>(type))(error.what());
    raised.attr("row") = error.row();
    raised.attr("reason") = error.reason();
    PyErr_SetObject(static_cast<PyObject*>(type), raised.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  nb::exception<Stopped>(m, "Stopped", PyExc_RuntimeError).doc() =
      "A call ended early because it was asked to.";

  nb::exception<RowError> row_error(m, "RowError", PyExc_ValueError);
  row_error.doc() = "One row cannot be used: `row` is its number, `reason` the rest of the message.";
  // Of the class, so that the stub knows the fields and their types; every error has its own.
  row_error.attr("row") = 0;
  row_error.attr("reason") = "";
  nb::register_exception_translator(raise_row_error, row_error.ptr());
}

}  // namespace treewright
