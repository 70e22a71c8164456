import BrasaBytes

/// Reads the parts of `projects/P/databases/D/documents/…` in one pass over the name's bytes.
struct NameParser {
    let name: UnsafeRawBufferPointer
    let kind: DocumentError.NameKind
    /// What the text for a path that ends at a collection calls the name; differs for reference values.
    var shapeKind: DocumentError.NameKind

    init(
        name: UnsafeRawBufferPointer,
        kind: DocumentError.NameKind,
        shapeKind: DocumentError.NameKind? = nil
    ) {
        self.name = name
        self.kind = kind
        self.shapeKind = shapeKind ?? kind
    }

    static func checkUTF8(_ bytes: UnsafeRawBufferPointer) throws(DocumentError) {
        guard UTF8Validation.isValid(bytes) else { throw DocumentError(.invalidUTF8("name")) }
    }

    static func checkUTF8(_ bytes: [UInt8]) throws(DocumentError) {
        guard bytes.withUnsafeBytes(UTF8Validation.isValid) else { throw DocumentError(.invalidUTF8("name")) }
    }

    /// Reads `projects/P/databases/D`: the project is `name[9..<projectEnd]`, the database `name[(projectEnd +
    /// 11)..<end]`.
    func database() throws(DocumentError) -> (projectEnd: Int, end: Int) {
        var index = try self.expect("projects", at: 0)
        index = try self.expect("/", at: index)
        let projectEnd = try self.idEnd(from: index)
        index = try self.expect("/", at: projectEnd)
        index = try self.expect("databases", at: index)
        index = try self.expect("/", at: index)
        return (projectEnd, try self.idEnd(from: index))
    }

    /// Reads `/documents` and an optional `/` after a database that ends at `index`; gives where the path begins, which
    /// is the name's end for the root.
    func pathStart(after index: Int) throws(DocumentError) -> Int {
        var index = try self.expect("/", at: index)
        index = try self.expect("documents", at: index)
        return index == self.name.count ? index : try self.expect("/", at: index)
    }

    /// Checks every id from `start` to the end, and counts them. A name that ends at `start` is the root.
    func segmentCount(from start: Int) throws(DocumentError) -> Int {
        let end = self.name.count
        guard start < end else {
            // `documents/` with nothing behind the slash
            if start > 0, self.name[start - 1] == UInt8(ascii: "/") { throw self.error(.empty, start, end) }
            return 0
        }
        guard end - start <= Limits.nameBytesMax else { throw DocumentError(.nameTooLong(self.kind)) }
        var count = 0
        var segmentStart = start
        var index = start
        while true {
            while index < end, self.name[index] != UInt8(ascii: "/") { index &+= 1 }
            let id = UnsafeRawBufferPointer(rebasing: self.name[segmentStart..<index])
            if let flaw = ResourceID.flaw(of: id, isDocumentID: count % 2 == 1) {
                throw self.error(flaw, segmentStart, index)
            }
            count += 1
            if index == end { break }
            index &+= 1
            segmentStart = index
        }
        guard count <= 2 * Limits.collectionDepthMax else { throw DocumentError(.nameTooDeep(self.kind)) }
        return count
    }

    var text: String { String(decoding: self.name, as: UTF8.self) }

    func lacksSlash() -> DocumentError {
        DocumentError(.nameLacks(self.shapeKind, name: self.text, what: "/", index: self.name.count))
    }

    private func expect(_ what: StaticString, at index: Int) throws(DocumentError) -> Int {
        let length = what.utf8CodeUnitCount
        let expected = UnsafeRawBufferPointer(start: what.utf8Start, count: length)
        guard self.name.count - index >= length,
            ByteOrder.firstMismatch(UnsafeRawBufferPointer(rebasing: self.name[index..<(index + length)]), expected)
                == length
        else {
            throw DocumentError(.nameLacks(self.kind, name: self.text, what: "\(what)", index: index))
        }
        return index + length
    }

    private func idEnd(from start: Int) throws(DocumentError) -> Int {
        var index = start
        while index < self.name.count, self.name[index] != UInt8(ascii: "/") { index &+= 1 }
        guard index > start else { throw self.error(.empty, start, index) }
        guard index - start <= Limits.idBytesMax else { throw DocumentError(.resourceIDTooLong) }
        return index
    }

    private func error(_ flaw: ResourceID.Flaw, _ start: Int, _ end: Int) -> DocumentError {
        let id = String(decoding: self.name[start..<end], as: UTF8.self)
        return switch flaw {
        case .empty: DocumentError(.nameHasEmptyID(self.kind, name: self.text, index: start))
        case .dots: DocumentError(.nameHasDots(self.kind, name: self.text, id: id, index: start))
        case .reserved: DocumentError(.resourceIDReserved(id))
        case .tooLong: DocumentError(.resourceIDTooLong)
        }
    }
}
