#include "CBrasaAllocations.h"

#include <errno.h>
#include <stdlib.h>

static _Thread_local bool is_counting;
static _Thread_local size_t count;

void brasa_allocations_begin(void) {
    count = 0;
    is_counting = true;
}

size_t brasa_allocations_end(void) {
    is_counting = false;
    return count;
}

#ifdef __GLIBC__

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

bool brasa_allocations_are_counted(void) { return true; }

void *malloc(size_t bytes) {
    count += is_counting;
    return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes) {
    count += is_counting;
    return __libc_calloc(number, bytes);
}

void *realloc(void *block, size_t bytes) {
    void *moved = __libc_realloc(block, bytes);
    count += is_counting && moved != block;
    return moved;
}

void *memalign(size_t alignment, size_t bytes) {
    count += is_counting;
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *aligned = memalign(alignment, bytes);
    if (!aligned) return ENOMEM;
    *block = aligned;
    return 0;
}

void free(void *block) { __libc_free(block); }

#else

bool brasa_allocations_are_counted(void) { return false; }

#endif
