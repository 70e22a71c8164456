#ifndef CBRASA_MEMORY_H
#define CBRASA_MEMORY_H

#include <stdint.h>

/// Has the processor fetch so many bytes behind an address, which are about to be read, and does not wait for them. Any
/// address will do, and any count: nothing is read. In C, because Swift has no word for it.
static inline void cbrasa_prefetch(const void *address, uintptr_t count) {
    for (uintptr_t offset = 0; offset < count; offset += 64) {
        __builtin_prefetch((const void *)((uintptr_t)address + offset));
    }
    if (count > 0) __builtin_prefetch((const void *)((uintptr_t)address + count - 1));
}

#endif
