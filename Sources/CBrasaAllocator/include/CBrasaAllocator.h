#ifndef CBRASA_ALLOCATOR_H
#define CBRASA_ALLOCATOR_H

/// How jemalloc is to work in a process that keeps data; programs without jemalloc do not look at it. Its threads give pages
/// back to the system ten seconds after they were freed: without them a process that is at rest keeps all that it ever used.
extern const char *malloc_conf;

#endif
