/* What the traced engine calls on entering and leaving each of its functions (-finstrument-functions).

   Loaded before everything else (LD_PRELOAD). Between walk_start() and walk_stop(), the first entry into each function is
   written to the file named by WALK_LOG: number of the engine's call, address in the module, address of the caller. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kDepth = 4096, kSeen = 1 << 16 };

static _Thread_local int tracing; /* only the thread that started it: walks use no other */
static _Thread_local int depth;
static void* stack[kDepth];
static void* seen[kSeen];
static int call;
static FILE* out;

static uintptr_t in_module(void* function) {
  Dl_info info;
  if (!dladdr(function, &info)) abort();
  return (uintptr_t)function - (uintptr_t)info.dli_fbase;
}

static int first_time(void* function) {
  uintptr_t place = ((uintptr_t)function >> 4) % kSeen;
  while (seen[place] && seen[place] != function) place = (place + 1) % kSeen;
  const int first = !seen[place];
  seen[place] = function;
  return first;
}

void walk_start(void) {
  out = fopen(getenv("WALK_LOG"), "w");
  if (!out) abort();
  tracing = 1;
}

void walk_call(int number) { call = number; }

void walk_stop(void) {
  tracing = 0;
  fclose(out);
}

void __cyg_profile_func_enter(void* function, void* site) {
  (void)site;
  if (!tracing) return;
  if (depth == kDepth) abort();
  if (first_time(function)) {
    fprintf(out, "%d %lx %lx\n", call, (unsigned long)in_module(function),
            depth ? (unsigned long)in_module(stack[depth - 1]) : 0UL);
  }
  stack[depth++] = function;
}

void __cyg_profile_func_exit(void* function, void* site) {
  (void)function;
  (void)site;
  if (tracing && depth) --depth;
}
