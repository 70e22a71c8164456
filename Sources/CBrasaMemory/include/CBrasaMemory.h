#ifndef CBRASA_MEMORY_H
#define CBRASA_MEMORY_H

/// Has the processor fetch what lies at an address, which is about to be read and counted as used, and does not wait for it.
/// Any address will do. In C, because Swift has no word for it.
static inline void cbrasa_prefetch(const void *address) { __builtin_prefetch(address, 1); }

#endif
