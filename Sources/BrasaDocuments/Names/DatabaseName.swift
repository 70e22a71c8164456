/// `projects/{project}/databases/{database}`.
package struct DatabaseName: Hashable, Sendable {
    package let bytes: [UInt8]
    private let projectEnd: Int

    private static let projectStart = "projects/".utf8.count
    private static let databaseGap = "/databases/".utf8.count

    package init(parsing name: UnsafeRawBufferPointer) throws(DocumentError) {
        try NameParser.checkUTF8(name)
        let parser = NameParser(name: name, kind: .database)
        let (projectEnd, end) = try parser.database()
        // What may follow a database is a slash, and nothing belongs behind it here.
        guard end == name.count else { throw DocumentError(.nameHasEmptyID(.database, name: parser.text, index: end)) }
        self.init(bytes: Array(name), projectEnd: projectEnd)
    }

    package init(parsing name: some Collection<UInt8>) throws(DocumentError) {
        self = try borrowing(Array(name)) { (bytes) throws(DocumentError) in
            try DatabaseName(parsing: bytes)
        }
    }

    /// Both must be ids: not empty, without `/`.
    package init(project: UTF8Text, database: UTF8Text) throws(DocumentError) {
        try self.init(
            parsing: Array("projects/".utf8) + project.bytes + Array("/databases/".utf8) + database.bytes
        )
    }

    init(bytes: [UInt8], projectEnd: Int) {
        self.bytes = bytes
        self.projectEnd = projectEnd
    }

    package var project: UTF8Text { UTF8Text(validated: Array(self.bytes[Self.projectStart..<self.projectEnd])) }
    package var database: UTF8Text {
        UTF8Text(validated: Array(self.bytes[(self.projectEnd + Self.databaseGap)...]))
    }

    package var string: String { String(decoding: self.bytes, as: UTF8.self) }

    package static func == (left: DatabaseName, right: DatabaseName) -> Bool {
        ByteOrder.equal(left.bytes, right.bytes)
    }

    package func hash(into hasher: inout Hasher) {
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension DatabaseName: CustomStringConvertible {
    package var description: String { self.string }
}
