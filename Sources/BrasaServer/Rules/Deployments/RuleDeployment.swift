package import BrasaDocuments
package import BrasaPlatform

/// One change of the rules that `brasa rules` has made.
package struct RuleDeployment: Hashable, Sendable {
    /// Counted over all databases.
    package let number: Int
    /// Nil: for all databases that have no rules of their own.
    package let database: DatabaseName?
    package let time: WallTime
    /// Who, as the command was told.
    package let author: String
    /// SHA-256 of the rules, and the name of their file; nil: they were taken away.
    package let digest: String?
    /// The deployment that this one has brought back.
    package let restored: Int?
}

/// Every change that is remembered, those before the present rules included.
///
/// On disk it is one JSON object, and each text is a file of its own:
///
///     {"version": 1, "deployments": [{"number": 3, "database": "projects/p/databases/d", "time": <µs>, "author": "ann",
///      "digest": "<SHA-256>", "restored": 1}]}
///
/// Without `database` it is about all databases that have no rules of their own; without `digest` rules were taken away.
package struct RuleDeployments: Hashable, Sendable {
    static let bytesMax = 8 << 20
    /// Of one database.
    package static let historyMax = 20
    package static let databasesMax = 256
    static let authorBytesMax = 100

    /// In the order in which they were made.
    package private(set) var all: [RuleDeployment] = []

    init(_ all: [RuleDeployment] = []) {
        self.all = all
    }

    /// The latest of each database that has any.
    var current: [RuleDeployment] {
        var latest: [DatabaseName?: RuleDeployment] = [:]
        for deployment in self.all { latest[deployment.database] = deployment }
        return latest.values.sorted { $0.number < $1.number }
    }

    package func history(of database: DatabaseName?) -> [RuleDeployment] {
        self.all.filter { $0.database == database }
    }

    /// Nil when too many databases have rules of their own.
    mutating func add(
        _ digest: String?,
        for database: DatabaseName?,
        at time: WallTime,
        by author: String,
        restoring restored: Int? = nil
    ) -> RuleDeployment? {
        let deployment = RuleDeployment(
            number: (self.all.last?.number ?? 0) + 1,
            database: database,
            time: time,
            author: Self.author(author),
            digest: digest,
            restored: restored
        )
        let databases = Set(self.all.compactMap(\.database))
        if let database, !databases.contains(database), databases.count >= Self.databasesMax { return nil }
        self.all.append(deployment)
        let before = self.history(of: database)
        if before.count > Self.historyMax, let oldest = before.first { self.all.removeAll { $0 == oldest } }
        return deployment
    }

    /// One line, and no more than fits a table.
    private static func author(_ text: String) -> String {
        var author = ""
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
            guard author.utf8.count + String(scalar).utf8.count <= Self.authorBytesMax else { break }
            author.unicodeScalars.append(scalar)
        }
        return author
    }
}
