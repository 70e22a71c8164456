package import BrasaTreeRules

/// All databases of a server by name. One is made at its first write.
package struct TreeDatabases: Sendable {
    private let databasesMax: Int
    private let rules: TreeRules
    private var databases: [String: TreeDatabase] = [:]

    /// New databases have these rules.
    package init(rules: TreeRules, databasesMax: Int = 1_000) {
        (self.rules, self.databasesMax) = (rules, databasesMax)
    }

    package var names: [String] { self.databases.keys.sorted() }

    /// As it is; one that nobody has written to is empty.
    package subscript(name: String) -> TreeDatabase { self.databases[name] ?? TreeDatabase(rules: self.rules) }

    /// Works on a database, and keeps it unless nothing came of it: names that are only asked for take no room.
    package mutating func with<Output>(
        _ name: String,
        _ body: (inout TreeDatabase) throws(TreeRefusal) -> Output
    ) throws(TreeRefusal) -> Output {
        guard Self.isName(name) else { throw .invalidName }
        guard self.databases[name] != nil || self.databases.count < self.databasesMax else {
            throw .tooManyDatabases(databasesMax: self.databasesMax)
        }
        // Taken out meanwhile, so that it is not copied when it changes.
        var database = self.databases.removeValue(forKey: name) ?? TreeDatabase(rules: self.rules)
        defer {
            if !database.isBlank || database.rules.text != self.rules.text {
                self.databases[name] = database
            }
        }
        return try body(&database)
    }

    /// The label of a host's name.
    private static func isName(_ name: String) -> Bool {
        (1...63).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
