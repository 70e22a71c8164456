#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Counts what this thread allocates, in a test program: malloc and its relatives are this target's, in front of those of
/// the C library. Other threads have counts of their own, so tests that run beside it change nothing.

/// Whether allocations are counted here: with glibc they are.
bool brasa_allocations_are_counted(void);

/// Begins at zero.
void brasa_allocations_begin(void);

/// How many since the beginning; a reallocation that moves counts, too.
size_t brasa_allocations_end(void);
