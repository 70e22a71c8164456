#ifndef CBRASA_MEMORY_H
#define CBRASA_MEMORY_H

#include <stdint.h>

/// Has the processor fetch so many bytes behind an address, which are about to be read, and does not wait for them. Any
/// address will do, and any count: nothing is read. In C, because Swift has no word for it.
static inline void cbrasa_prefetch(const void *address, uintptr_t count) {
    uintptr_t start = (uintptr_t)address;
    for (uintptr_t line = start & ~(uintptr_t)63; line < start + count; line += 64) {
        __builtin_prefetch((const void *)line);
    }
}

#endif
