#include "CBrasaChecksum.h"

#include <string.h>

// Reflected Castagnoli polynomial (RFC 3720, appendix B.4).
#define POLYNOMIAL 0x82f63b78u

static uint32_t table[256];

__attribute__((constructor)) static void fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) ? POLYNOMIAL : 0);
        }
        table[byte] = crc;
    }
}

static uint32_t crc_by_table(uint32_t crc, const uint8_t *bytes, size_t count) {
    while (count-- > 0) {
        crc = (crc >> 8) ^ table[(crc ^ *bytes++) & 0xff];
    }
    return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t crc, const uint8_t *bytes, size_t count) {
    uint64_t wide = crc;
    for (; count >= 8; count -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    crc = (uint32_t)wide;
    while (count-- > 0) {
        crc = _mm_crc32_u8(crc, *bytes++);
    }
    return crc;
}

uint32_t cbrasa_crc32c(uint32_t crc, const void *bytes, size_t count) {
    if (__builtin_cpu_supports("sse4.2")) {
        return ~crc_by_instruction(~crc, bytes, count);
    }
    return ~crc_by_table(~crc, bytes, count);
}
#else
uint32_t cbrasa_crc32c(uint32_t crc, const void *bytes, size_t count) { return ~crc_by_table(~crc, bytes, count); }
#endif
