#include <string.h>
#include <zlib.h>

/* zlib's initialisers are macros that pass its version and structure size; these make functions of them.
   31 window bits: gzip framing and nothing else. */
static inline int brasa_zlib_inflate_gzip_init(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, 31);
}

static inline int brasa_zlib_deflate_gzip_init(z_stream *stream, int level) {
    memset(stream, 0, sizeof *stream);
    return deflateInit2(stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
}
