internal import BrasaDocuments

/// Reads the paths that users give to `collection` and `document`.
enum PathText {
    static func collection(_ text: String, below parent: ResourcePath = .root) throws(UsageError) -> ResourcePath {
        let path = try self.path(text, below: parent)
        guard path.isCollection else {
            throw UsageError(
                "Invalid collection path '\(path)': a collection has an odd number of segments, this has "
                    + "\(path.segmentCount)."
            )
        }
        return path
    }

    static func document(_ text: String, below parent: ResourcePath = .root) throws(UsageError) -> ResourcePath {
        let path = try self.path(text, below: parent)
        guard path.isDocument else {
            throw UsageError(
                "Invalid document path '\(path)': a document has an even number of segments, this has "
                    + "\(path.segmentCount)."
            )
        }
        return path
    }

    static func checkCollectionID(_ text: String) throws(UsageError) {
        do {
            try ResourcePath.checkCollectionID(UTF8Text(text))
        } catch {
            throw UsageError("Invalid collection ID '\(text)': \(error.message)")
        }
    }

    /// One slash at either end is ignored.
    private static func path(_ text: String, below parent: ResourcePath) throws(UsageError) -> ResourcePath {
        var ids = text.utf8[...]
        if ids.first == UInt8(ascii: "/") { ids.removeFirst() }
        if ids.last == UInt8(ascii: "/") { ids.removeLast() }
        guard !ids.isEmpty else { throw UsageError("A path must not be empty, but was '\(text)'.") }
        do {
            let start = parent.isRoot ? [] : parent.bytes.array + [UInt8(ascii: "/")]
            return try ResourcePath(parsing: start + ids)
        } catch {
            throw UsageError("Invalid path '\(text)': \(error.message)")
        }
    }
}
