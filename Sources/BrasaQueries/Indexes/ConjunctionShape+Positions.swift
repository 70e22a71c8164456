internal import BrasaDocuments

/// From positions in a query's order to positions among suffixes.
extension ConjunctionShape {
    /// Where the documents behind the bound begin, among suffixes; nil when the bound is no whole parts.
    func position(of bound: KeyBound) -> IndexPosition? {
        let position = self.positionInOrder(of: bound)
        return self.isReversed ? position?.complemented : position
    }

    /// The same with all parts in the query's own directions.
    private func positionInOrder(of bound: KeyBound) -> IndexPosition? {
        bound.prefix.withUnsafeBytes { key in
            var reader = KeyPartReader(key)
            var prefix: [UInt8] = []
            for (part, clause) in zip(self.sortParts, self.order.clauses) where reader.position < key.count {
                let isName = clause.path.isDocumentName
                let next =
                    isName
                    ? reader.path(isDescending: clause.isDescending) : reader.value(isDescending: clause.isDescending)
                guard let next else { return nil }
                let bytes = Array(key[next])
                switch part {
                case .field: prefix += bytes
                case .constant(let constant):
                    let own = clause.isDescending ? constant.map { ~$0 } : constant
                    switch ByteOrder.compare(own, bytes) {
                    case .ascending: return IndexPosition.after(prefix)
                    case .same: continue
                    case .descending: return IndexPosition.before(prefix)
                    }
                case .name:
                    let name = clause.isDescending ? bytes.map { ~$0 } : bytes
                    let interval = self.nameInterval(name)
                    let place = clause.isDescending ? interval.complemented : interval
                    return (bound.isAfter ? place.end : place.start).prefixed(by: prefix)
                }
            }
            return reader.position == key.count ? IndexPosition(prefix: prefix, isAfter: bound.isAfter) : nil
        }
    }

    /// Where the suffix of a document with this path, an order-preserving key, begins and ends. When the path is not in
    /// the collection, the place where it would be.
    func nameInterval(_ path: [UInt8]) -> KeyInterval {
        guard self.scope == .collection, let collectionID = self.names.collectionID,
            let collection = try? self.names.parent.appending(collectionID.bytes)
        else { return .beginning(path) }
        let start = OrderPreservingKey(collection).bytes.dropLast()
        guard path.starts(with: start) else {
            let place: IndexPosition = ByteOrder.compare(path, Array(start)) == .ascending ? .start : .end
            return KeyInterval(start: place, end: place)
        }
        // What is left is the document's id and then the end, or what is nested below the document.
        let rest = Array(path.dropFirst(start.count))
        guard let idEnd = rest.withUnsafeBytes({ Self.firstIDEnd(in: $0) }) else {
            return KeyInterval(start: .start, end: .start)
        }
        let id = Array(rest[..<idEnd])
        if rest.count == idEnd + 1 { return .beginning(id) }
        return KeyInterval(start: .after(id), end: .after(id))
    }

    private static func firstIDEnd(in path: UnsafeRawBufferPointer) -> Int? {
        var reader = KeyPartReader(path)
        return reader.pathSegment()?.upperBound
    }
}
