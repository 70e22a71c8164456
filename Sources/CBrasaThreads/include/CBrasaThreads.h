#ifndef CBRASA_THREADS_H
#define CBRASA_THREADS_H

/// Names the calling thread, for whoever looks at the process from outside. Linux takes 15 bytes, and no longer name.
/// Returns 0, or an error number. In C, because Swift does not see what is no part of POSIX.
int cbrasa_name_thread(const char *name);

#endif
