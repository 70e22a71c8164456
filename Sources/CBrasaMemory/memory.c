#include "CBrasaMemory.h"
