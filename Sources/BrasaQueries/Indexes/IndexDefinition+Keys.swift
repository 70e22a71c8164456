package import BrasaDocuments

package typealias IndexKey = OrderPreservingKey

extension IndexDefinition {
    /// Most entries that one document may have, and most bytes they may take.
    package static let entriesMax = 40_000
    static let entryBytesMax = 8 << 20

    /// Whether documents with this path belong in the index.
    package func covers(_ path: ResourcePath) -> Bool {
        path.isDocument && self.collectionID.isEqual(to: path.collectionID)
    }

    /// What the keys of a query's documents below `parent`, the root or a document, begin with. Nothing in a group's scope.
    package func prefix(parent: ResourcePath) -> IndexKey {
        self.scope == .collectionGroup ? IndexKey() : IndexKey(parent)
    }

    /// What a document's keys begin with.
    private func starts(of path: ResourcePath) -> [IndexKey] {
        switch self.scope {
        case .collection:
            var start = IndexKey(capacity: path.bytes.count + 48)
            start.appendParentOfCollection(of: path)
            return [start]
        case .collectionGroup: return [IndexKey(capacity: path.bytes.count + 48)]
        case .collectionRecursive:
            return stride(from: 2, to: path.segmentCount, by: 2).map { IndexKey(path.prefix(segments: $0)) }
        }
    }

    /// A document's keys, none when it lacks one of the fields; nil when they are more than an index takes of one
    /// document. `path` is one that the index covers.
    package func keys(path: ResourcePath, fields: EncodedFields) -> [IndexKey]? {
        var keys = self.starts(of: path)
        if keys.isEmpty { return [] }
        for part in self.parts {
            if part.kind == .contains {
                guard let elements = fields.elementKeys(at: part.path, limit: Self.entriesMax),
                    elements.count * keys.count <= Self.entriesMax
                else { return nil }
                keys = keys.flatMap { key in elements.map { key.appending($0) } }
            } else if keys.count == 1 {
                let isThere = keys[0].append(fields, at: part.path, isDescending: part.kind == .descending)
                if !isThere { return [] }
            } else {
                var value = IndexKey()
                guard value.append(fields, at: part.path, isDescending: part.kind == .descending) else { return [] }
                guard keys.count * value.bytes.count <= Self.entryBytesMax else { return nil }
                keys = keys.map { $0.appending(value) }
            }
            if keys.isEmpty { return [] }
        }
        for index in keys.indices { self.scope.appendName(of: path, to: &keys[index]) }
        let fits = keys.count == 1 || keys.reduce(0) { $0 + $1.bytes.count } <= Self.entryBytesMax
        return fits ? keys : nil
    }

    /// Whether two versions of a document have the same keys because they have the same values, which are compared as they
    /// lie: that costs much less than to make the keys. Versions of which this is false may have the same keys, too.
    package func hasSameValues(_ fields: EncodedFields, _ others: EncodedFields) -> Bool {
        self.parts.allSatisfy { fields.encodedValue(at: $0.path) == others.encodedValue(at: $0.path) }
    }

    /// Whether the document has the key.
    package func has(_ key: [UInt8], _ path: ResourcePath, _ fields: EncodedFields) -> Bool {
        self.keys(path: path, fields: fields)?.contains { ByteOrder.equal($0.bytes, key) } ?? false
    }
}

extension IndexDefinition.Scope {
    /// The end of a document's keys.
    package func appendName(of path: ResourcePath, to key: inout IndexKey) {
        if self == .collection { key.appendID(of: path) } else { key.append(path) }
    }
}

extension IndexKey {
    fileprivate func appending(_ part: IndexKey) -> IndexKey {
        var key = self
        key.append(part: part)
        return key
    }
}
