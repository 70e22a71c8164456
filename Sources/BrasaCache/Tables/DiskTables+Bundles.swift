internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

struct BundleStatements {
    let createTime, setCreateTime, query, setQuery: TableStatement

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.createTime = try connection.statement("SELECT create_time FROM bundles WHERE id = ?")
        self.setCreateTime = try connection.statement("INSERT OR REPLACE INTO bundles VALUES (?, ?)")
        self.query = try connection.statement(
            "SELECT read_time, is_limited_to_last, target FROM named_queries WHERE name = ?"
        )
        self.setQuery = try connection.statement("INSERT OR REPLACE INTO named_queries VALUES (?, ?, ?, ?)")
    }
}

extension DiskTables {
    func bundleCreateTime(_ id: UTF8Text) throws(StorageError) -> Timestamp? {
        try self.bundleStatements.createTime.first(.blob(id.bytes)) { row throws(StorageError) in
            try self.connection.time(row.integer(0))
        }
    }

    func setBundleCreateTime(_ time: Timestamp, of id: UTF8Text) throws(StorageError) {
        try self.bundleStatements.setCreateTime.run(.blob(id.bytes), .integer(time.microseconds))
    }

    func namedQuery(_ name: UTF8Text) throws(StorageError) -> NamedQuery? {
        try self.bundleStatements.query.first(.blob(name.bytes)) { row throws(StorageError) in
            guard let target = SyncTarget(stored: row.bytes(2)),
                let query = try? SyncQuery(
                    restoring: target,
                    limitType: row.integer(1) == 1 ? .last : .first,
                    database: self.database
                )
            else { throw self.damage("the query \(name)") }
            return NamedQuery(name: name, query: query, readTime: try self.connection.time(row.integer(0)))
        }
    }

    func setNamedQuery(_ query: NamedQuery) throws(StorageError) {
        try self.bundleStatements.setQuery.run(
            .blob(query.name.bytes),
            .integer(query.readTime.microseconds),
            .integer(query.query.limitType == .last ? 1 : 0),
            .blob(query.query.target.stored(in: self.database))
        )
    }
}
