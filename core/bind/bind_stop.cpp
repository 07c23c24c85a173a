// Asking calls in other threads to end.
#include <nanobind/nanobind.h>

#include "bind/bind.h"
#include "bind/stop_request.h"

namespace treewright {

namespace {

thread_local std::shared_ptr<const StopFlag> obeyed_flag;

}  // namespace

void StopRequest::obey(const StopRequest* request) {
  obeyed_flag = request == nullptr ? nullptr : request->flag_;
}

std::shared_ptr<const StopFlag> StopRequest::obeyed() {
  return obeyed_flag;
}

void bind_stop(nb::module_& m) {
  nb::class_<StopRequest>(m, "StopRequest",
                          "As a context: calls of this thread end with Stopped once it is requested.")
      .def(nb::init<>())
      .def("request", &StopRequest::request, "Ask all threads that obey to end their calls.")
      .def_prop_ro("requested", &StopRequest::requested, "Whether it was requested.")
      .def("__enter__", [](const StopRequest& self) { StopRequest::obey(&self); })
      .def(
          "__exit__", [](const StopRequest&, const nb::args&) { StopRequest::obey(nullptr); },
          nb::sig("def __exit__(self, *exception: object) -> None"));
}

}  // namespace treewright
