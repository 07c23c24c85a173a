// A very small test harness: `TEST("a sentence") { … }` registers itself, CHECK counts, main.cpp runs what is
// registered.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace treewright::test {

struct Test {
  const char* name;  // a sentence
  void (*run)();
};

// Puts a test on the list that main.cpp runs; made before main() by TEST.
struct Registration {
  Registration(const char* name, void (*run)());
};

// Notes a failure of the running test; the test goes on.
void fail(const char* file, int line, const std::string& what);

// Whether `body` throws an Exception.
template <class Exception, class Body>
bool throws(Body&& body) {
  try {
    body();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

}  // namespace treewright::test

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::treewright::test::fail(__FILE__, __LINE__, #condition))

#define TREEWRIGHT_JOIN(a, b) a##b
#define TREEWRIGHT_TEST(sentence, line)                                                       \
  static void TREEWRIGHT_JOIN(test_of_line_, line)();                                         \
  static const ::treewright::test::Registration TREEWRIGHT_JOIN(registration_of_line_, line)( \
      sentence, TREEWRIGHT_JOIN(test_of_line_, line));                                        \
  static void TREEWRIGHT_JOIN(test_of_line_, line)()
#define TEST(sentence) TREEWRIGHT_TEST(sentence, __LINE__)
