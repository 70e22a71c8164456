#include "CBrasaAllocator.h"

const char *malloc_conf = "background_thread:true";
