#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast, which Swift does not see: SQLite copies what is bound. */
static inline int brasa_sqlite_bind_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
