#ifndef CBRASA_CHECKSUM_H
#define CBRASA_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of `count` bytes, continuing from `crc` (0 to start). Uses the CPU's instruction where there is
/// one, else a table.
uint32_t cbrasa_crc32c(uint32_t crc, const void *bytes, size_t count);

#endif
