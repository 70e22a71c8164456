/// `{database}/documents/{path}`, the path of a document.
package struct DocumentName: Hashable, Sendable {
    package let database: DatabaseName
    package let path: ResourcePath

    /// Nil when the path is not a document's.
    package init?(database: DatabaseName, path: ResourcePath) {
        guard path.isDocument else { return nil }
        self.database = database
        self.path = path
    }

    /// `likely` saves an allocation when the name is in that database; the name may be in any other.
    package init(parsing name: UnsafeRawBufferPointer, likely: DatabaseName? = nil) throws(DocumentError) {
        (self.database, self.path) = try QualifiedPath.document(name, kind: .document, likely: likely)
    }

    package init(parsing name: some Collection<UInt8>) throws(DocumentError) {
        self = try borrowing(Array(name)) { (bytes) throws(DocumentError) in
            try DocumentName(parsing: bytes)
        }
    }

    /// Refuses a name in another database than the request's.
    package init(parsing name: UnsafeRawBufferPointer, in database: DatabaseName) throws(DocumentError) {
        try self.init(parsing: name, likely: database)
        try QualifiedPath.check(self.database, is: database)
    }

    package init(parsing name: some Collection<UInt8>, in database: DatabaseName) throws(DocumentError) {
        self = try borrowing(Array(name)) { (bytes) throws(DocumentError) in
            try DocumentName(parsing: bytes, in: database)
        }
    }

    /// The text of a reference value: any database, and other words for a collection's name.
    init(reference name: UnsafeRawBufferPointer) throws(DocumentError) {
        (self.database, self.path) = try QualifiedPath.document(name, kind: .document, shapeKind: .parent, likely: nil)
    }

    package var bytes: [UInt8] { QualifiedPath.bytes(self.database, self.path) }
    package var string: String { String(decoding: self.bytes, as: UTF8.self) }
}

extension DocumentName: CustomStringConvertible, Comparable {
    package var description: String { self.string }

    /// Project, then database, then path: the order of reference values.
    package static func compare(_ left: DocumentName, _ right: DocumentName) -> Ordering {
        if left.database != right.database {
            let project = ByteOrder.compare(left.database.project.bytes, right.database.project.bytes)
            if project != .same { return project }
            return ByteOrder.compare(left.database.database.bytes, right.database.database.bytes)
        }
        return ResourcePath.compare(left.path, right.path)
    }

    package static func < (left: DocumentName, right: DocumentName) -> Bool {
        self.compare(left, right) == .ascending
    }
}
