internal import BrasaCacheFile

/// The tables, as steps from an empty file to the newest schema. A step that has been released is never changed: what
/// comes later is a new step at the end. See docs/client-cache.md.
enum CacheSchema {
    /// Step n makes schema n + 1 of schema n.
    static let steps = [Self.firstTables, Self.fieldIndexes, Self.writeStreams, Self.forgottenParts]

    /// Marks our files: "Bras".
    static let applicationID = 0x4272_6173

    static func migrate(
        _ connection: CacheConnection,
        folder: String,
        steps: [String] = Self.steps
    ) throws(DiskStorageError) {
        try connection.file.migrate(folder: folder, applicationID: Self.applicationID, steps: steps)
    }

    /// Where each user's Write stream has got to; NULL for none.
    private static let writeStreams = """
        ALTER TABLE users ADD COLUMN write_stream BLOB;
        ALTER TABLE users ADD COLUMN write_token BLOB;
        """

    /// Parts of indexes that are gone or abandoned, whose entries are still to be freed.
    private static let forgottenParts = """
        CREATE TABLE forgotten_parts (number INTEGER PRIMARY KEY);
        INSERT INTO forgotten_parts SELECT number FROM index_progress WHERE stage = 2;
        CREATE INDEX field_indexes_by_collection_id ON field_indexes (collection_id);
        """

    /// A document is named everywhere by its collection's number and its id as `OrderPreservingKey` writes it, so that a
    /// collection's documents are side by side and in order. Numbers are never used twice.
    private static let firstTables = """
        PRAGMA application_id = \(CacheSchema.applicationID);

        CREATE TABLE globals (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE users (number INTEGER PRIMARY KEY AUTOINCREMENT, uid BLOB NOT NULL UNIQUE);
        CREATE TABLE collections (
            number INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, collection_id BLOB NOT NULL
        );
        CREATE INDEX collections_by_id ON collections (collection_id);

        CREATE TABLE documents (
            collection INTEGER NOT NULL, id BLOB NOT NULL, kind INTEGER NOT NULL, is_committed INTEGER NOT NULL,
            version INTEGER NOT NULL, read_time INTEGER NOT NULL, fields BLOB, PRIMARY KEY (collection, id)
        ) WITHOUT ROWID;
        CREATE INDEX documents_by_read_time ON documents (collection, read_time);

        CREATE TABLE uses (
            collection INTEGER NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL, targets INTEGER NOT NULL,
            PRIMARY KEY (collection, id)
        ) WITHOUT ROWID;
        CREATE INDEX orphans ON uses (sequence) WHERE targets = 0;

        CREATE TABLE batches (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user INTEGER NOT NULL, local_write_time INTEGER NOT NULL,
            base_writes BLOB NOT NULL, writes BLOB NOT NULL
        );
        CREATE INDEX batches_by_user ON batches (user, id);
        CREATE TABLE batch_documents (
            collection INTEGER NOT NULL, id BLOB NOT NULL, user INTEGER NOT NULL, batch INTEGER NOT NULL,
            PRIMARY KEY (collection, id, user, batch)
        ) WITHOUT ROWID;
        CREATE TABLE overlays (
            user INTEGER NOT NULL, collection INTEGER NOT NULL, id BLOB NOT NULL, batch INTEGER NOT NULL,
            kind INTEGER NOT NULL, paths BLOB, fields BLOB, PRIMARY KEY (user, collection, id)
        ) WITHOUT ROWID;
        CREATE INDEX overlays_by_batch ON overlays (user, batch);

        CREATE TABLE targets (
            id INTEGER PRIMARY KEY, target BLOB NOT NULL UNIQUE, sequence INTEGER NOT NULL,
            snapshot_version INTEGER NOT NULL, limbo_free_version INTEGER NOT NULL, resume_token BLOB NOT NULL
        );
        CREATE INDEX targets_by_sequence ON targets (sequence);
        CREATE TABLE target_documents (
            target INTEGER NOT NULL, collection INTEGER NOT NULL, id BLOB NOT NULL,
            PRIMARY KEY (target, collection, id)
        ) WITHOUT ROWID;
        CREATE TABLE forgotten_targets (id INTEGER PRIMARY KEY);

        CREATE TABLE bundles (id BLOB PRIMARY KEY, create_time INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE named_queries (
            name BLOB PRIMARY KEY, read_time INTEGER NOT NULL, is_limited_to_last INTEGER NOT NULL, target BLOB NOT NULL
        ) WITHOUT ROWID;
        """

    /// Entries belong to a user's part of an index: `index_progress.number`. Documents are named by their paths, since a
    /// collection may leave the cache before its entries do.
    private static let fieldIndexes = """
        CREATE TABLE field_indexes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, collection_id BLOB NOT NULL, scope INTEGER NOT NULL
        );
        CREATE TABLE field_index_parts (
            field_index INTEGER NOT NULL, position INTEGER NOT NULL, path BLOB NOT NULL, kind INTEGER NOT NULL,
            PRIMARY KEY (field_index, position)
        ) WITHOUT ROWID;
        CREATE TABLE index_progress (
            number INTEGER PRIMARY KEY AUTOINCREMENT, field_index INTEGER NOT NULL, user INTEGER NOT NULL,
            stage INTEGER NOT NULL, filled_through BLOB, last_change INTEGER NOT NULL, sequence INTEGER NOT NULL,
            UNIQUE (field_index, user)
        );
        CREATE TABLE index_entries (
            owner INTEGER NOT NULL, key BLOB NOT NULL, path BLOB NOT NULL, PRIMARY KEY (owner, key)
        ) WITHOUT ROWID;
        CREATE INDEX index_entries_by_path ON index_entries (owner, path);
        CREATE TABLE document_changes (
            number INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, collection_id BLOB NOT NULL
        );
        CREATE INDEX document_changes_by_collection_id ON document_changes (collection_id);
        """
}
