package import BrasaDocuments

package typealias IndexKey = OrderPreservingKey

extension IndexDefinition {
    /// Most entries that one document may have, and most bytes they may take.
    static let entriesMax = 40_000
    static let entryBytesMax = 8 << 20

    /// Whether documents with this path belong in the index.
    package func covers(_ path: ResourcePath) -> Bool {
        path.isDocument && path.collectionID.elementsEqual(self.collectionID.bytes)
    }

    /// What the keys of a collection below `parent`, the root or a document, begin with. Nothing in a group's scope.
    package func prefix(parent: ResourcePath) -> IndexKey {
        self.scope == .collection ? IndexKey(parent) : IndexKey()
    }

    /// The end of a document's keys.
    package func appendName(of path: ResourcePath, to key: inout IndexKey) {
        let start = key.bytes.count
        if self.scope == .collection { key.appendID(of: path) } else { key.append(path) }
        if self.isNameDescending { key.complement(from: start) }
    }

    /// A document's keys, none when it lacks one of the fields; nil when they are more than an index takes of one
    /// document. `path` is one that the index covers.
    package func keys(path: ResourcePath, fields: EncodedFields) -> [IndexKey]? {
        var keys = [self.prefix(of: path)]
        for part in self.parts {
            switch part.kind {
            case .ascending, .descending:
                guard keys.count > 1 else {
                    guard keys[0].append(fields, at: part.path, isDescending: part.kind == .descending) else {
                        return []
                    }
                    continue
                }
                var value = IndexKey()
                guard value.append(fields, at: part.path, isDescending: part.kind == .descending) else { return [] }
                for index in keys.indices { keys[index].append(part: value) }
            case .contains:
                guard let elements = fields.elementKeys(at: part.path, limit: Self.entriesMax) else { return nil }
                guard elements.count * keys.count <= Self.entriesMax else { return nil }
                keys = keys.flatMap { key in
                    elements.map { element in
                        var key = key
                        key.append(part: element)
                        return key
                    }
                }
            }
            guard Self.fit(keys) else { return nil }
        }
        for index in keys.indices { self.appendName(of: path, to: &keys[index]) }
        return Self.fit(keys) ? keys : nil
    }

    /// Whether the document has the key.
    func has(_ key: [UInt8], _ path: ResourcePath, _ fields: EncodedFields) -> Bool {
        self.keys(path: path, fields: fields)?.contains { ByteOrder.equal($0.bytes, key) } ?? false
    }

    private func prefix(of path: ResourcePath) -> IndexKey {
        guard self.scope == .collection else { return IndexKey() }
        return self.prefix(parent: path.parent?.parent ?? .root)
    }

    private static func fit(_ keys: [IndexKey]) -> Bool {
        keys.count == 1 || keys.reduce(0) { $0 + $1.bytes.count } <= self.entryBytesMax
    }
}
