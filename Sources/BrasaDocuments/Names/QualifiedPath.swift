/// What document names and parent names share: a database and a path in it.
enum QualifiedPath {
    static func document(
        _ name: UnsafeRawBufferPointer,
        kind: DocumentError.NameKind,
        shapeKind: DocumentError.NameKind? = nil,
        likely: DatabaseName?
    ) throws(DocumentError) -> (DatabaseName, ResourcePath) {
        let parser = NameParser(name: name, kind: kind, shapeKind: shapeKind)
        let (database, path) = try self.parse(parser, likely: likely)
        guard path.isDocument else { throw parser.lacksSlash() }
        return (database, path)
    }

    /// Throws unless a reference value's text is a document's name, in whatever database.
    static func checkReference(_ name: UnsafeRawBufferPointer) throws(DocumentError) {
        try NameParser.checkUTF8(name)
        let parser = NameParser(name: name, kind: .document, shapeKind: .parent)
        let start = try parser.pathStart(after: try parser.database().end)
        let count = try parser.segmentCount(from: start)
        guard count > 0, count % 2 == 0 else { throw parser.lacksSlash() }
    }

    static func parent(
        _ name: UnsafeRawBufferPointer,
        likely: DatabaseName?
    ) throws(DocumentError) -> (DatabaseName, ResourcePath) {
        let parser = NameParser(name: name, kind: .parent)
        let (database, path) = try self.parse(parser, likely: likely)
        guard !path.isCollection else { throw parser.lacksSlash() }
        return (database, path)
    }

    private static func parse(
        _ parser: NameParser,
        likely: DatabaseName?
    ) throws(DocumentError) -> (DatabaseName, ResourcePath) {
        let name = parser.name
        try NameParser.checkUTF8(name)
        let database: DatabaseName
        if let likely, self.begins(name, with: likely) {
            database = likely
        } else {
            let (projectEnd, end) = try parser.database()
            database = DatabaseName(bytes: Array(name[..<end]), projectEnd: projectEnd)
        }
        let start = try parser.pathStart(after: database.bytes.count)
        _ = try parser.segmentCount(from: start)
        return (database, ResourcePath(checked: UnsafeRawBufferPointer(rebasing: name[start...])))
    }

    private static func begins(_ name: UnsafeRawBufferPointer, with database: DatabaseName) -> Bool {
        let length = database.bytes.count
        guard name.count > length, name[length] == UInt8(ascii: "/") else { return false }
        return database.bytes.withUnsafeBytes { ByteOrder.firstMismatch(name, $0) == length }
    }

    static func check(_ accessed: DatabaseName, is requested: DatabaseName) throws(DocumentError) {
        guard accessed == requested else {
            throw DocumentError(.otherDatabase(requested: requested.string, accessed: accessed.string))
        }
    }

    static func bytes(_ database: DatabaseName, _ path: ResourcePath) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(database.bytes.count + 11 + path.bytes.count)
        bytes.append(contentsOf: database.bytes)
        bytes.append(contentsOf: "/documents".utf8)
        if !path.isRoot {
            bytes.append(UInt8(ascii: "/"))
            path.bytes.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
