/// What collections and queries hang below: a database's root, `{database}/documents`, or a document.
package struct ParentName: Hashable, Sendable {
    package let database: DatabaseName
    package let path: ResourcePath

    /// Nil when the path is a collection's.
    package init?(database: DatabaseName, path: ResourcePath) {
        guard !path.isCollection else { return nil }
        self.database = database
        self.path = path
    }

    /// `likely` saves an allocation when the name is in that database; the name may be in any other.
    package init(parsing name: UnsafeRawBufferPointer, likely: DatabaseName? = nil) throws(DocumentError) {
        (self.database, self.path) = try QualifiedPath.parent(name, likely: likely)
    }

    package init(parsing name: some Collection<UInt8>) throws(DocumentError) {
        self = try borrowing(Array(name)) { (bytes) throws(DocumentError) in
            try ParentName(parsing: bytes)
        }
    }

    /// Refuses a name in another database than the request's.
    package init(parsing name: UnsafeRawBufferPointer, in database: DatabaseName) throws(DocumentError) {
        try self.init(parsing: name, likely: database)
        try QualifiedPath.check(self.database, is: database)
    }

    package init(parsing name: some Collection<UInt8>, in database: DatabaseName) throws(DocumentError) {
        self = try borrowing(Array(name)) { (bytes) throws(DocumentError) in
            try ParentName(parsing: bytes, in: database)
        }
    }

    package var bytes: [UInt8] { QualifiedPath.bytes(self.database, self.path) }
    package var string: String { String(decoding: self.bytes, as: UTF8.self) }
}

extension ParentName: CustomStringConvertible {
    package var description: String { self.string }
}
