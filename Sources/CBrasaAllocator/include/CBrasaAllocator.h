#ifndef CBRASA_ALLOCATOR_H
#define CBRASA_ALLOCATOR_H

/// How jemalloc is to work in a process that keeps data: the name is jemalloc's, which looks for it, and the variable
/// MALLOC_CONF comes before it. Programs without jemalloc do not look at it. Its threads give pages back to the system ten
/// seconds after they were freed: without them a process that is at rest keeps all that it ever used.
extern const char *malloc_conf;

#endif
