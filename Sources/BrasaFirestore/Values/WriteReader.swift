internal import BrasaDocuments

/// Makes writes of what users give to `setData`, `updateData` and `delete`.
struct WriteReader {
    let name: DocumentName

    /// Replaces the document.
    func set(_ data: [String: Any]) throws(UsageError) -> Write {
        var reader = ValueReader(database: self.name.database, use: .set)
        let fields = EncodedFields(encoding: try reader.map(data))
        return self.write(.set(fields), reader.transforms)
    }

    func set(_ data: [String: Any], merge: Bool) throws(UsageError) -> Write {
        merge ? try self.merge(data) : try self.set(data)
    }

    /// Changes the leaves of the data.
    func merge(_ data: [String: Any]) throws(UsageError) -> Write {
        var reader = ValueReader(database: self.name.database, use: .merge)
        let fields = EncodedFields(encoding: try reader.map(data))
        // A leaf that is an operation, or the data as a whole, is no path of the mask.
        return self.write(.merge(fields, mask: reader.mask.sorted()), reader.transforms)
    }

    /// Changes some fields to what the data has for them.
    func merge(_ data: [String: Any], fields given: [Any]) throws(UsageError) -> Write {
        var reader = ValueReader(database: self.name.database, use: .merge)
        let fields = EncodedFields(encoding: try reader.map(data))
        var mask: Set<BrasaDocuments.FieldPath> = []
        for field in given {
            let path = try Self.path(field)
            let isGiven =
                reader.mask.contains { path.contains($0) } || reader.transforms.contains { path.contains($0.path) }
            guard isGiven else {
                throw UsageError("Field '\(path)' is in the field mask but missing from the data.")
            }
            mask.insert(path)
        }
        let transforms = reader.transforms.filter { transform in mask.contains { $0.contains(transform.path) } }
        // An operation on the very field of the mask starts from what the field holds, not from nothing.
        mask.subtract(transforms.map(\.path))
        let paths = mask.sorted()
        return self.write(.merge(fields.projected(to: paths), mask: paths), transforms)
    }

    /// Changes fields of a document that must exist.
    func update(_ given: [AnyHashable: Any]) throws(UsageError) -> Write {
        var values: [(path: BrasaDocuments.FieldPath, value: Value)] = []
        var mask: [BrasaDocuments.FieldPath] = []
        var transforms: [FieldTransform] = []
        for (key, field) in given {
            let path = try Self.path(key.base)
            if let operation = field as? FieldValue, case .delete = operation.operation {
                mask.append(path)
                continue
            }
            var reader = ValueReader(database: self.name.database, use: .update)
            reader.names = path.segments
            if let value = try reader.value(field) {
                values.append((path, value))
                mask.append(path)
            }
            transforms.append(contentsOf: reader.transforms)
        }
        values.sort { $0.path < $1.path }
        let fields = EncodedFields(encoding: Self.entries(values[...], depth: 0))
        var write = self.write(.merge(fields, mask: mask.sorted()), transforms)
        write.precondition = .exists(true)
        return write
    }

    func delete() -> Write {
        Write(name: self.name, operation: .delete)
    }

    private static func path(_ field: Any) throws(UsageError) -> BrasaDocuments.FieldPath {
        let path = try FieldPath(any: field).stored
        guard !path.isDocumentName else { throw UsageError("The document's ID cannot be written.") }
        return path
    }

    /// A dictionary has no order; writes have one, so that equal writes are equal.
    private func write(_ operation: Write.Operation, _ transforms: [FieldTransform]) -> Write {
        Write(name: self.name, operation: operation, transforms: transforms.sorted { $0.path < $1.path })
    }

    /// Maps in maps that hold values at paths, which are sorted and agree in their first `depth` names. Of a path and
    /// one below it the shorter counts; the server refuses both together.
    private static func entries(
        _ values: ArraySlice<(path: BrasaDocuments.FieldPath, value: Value)>,
        depth: Int
    ) -> [Value.MapEntry] {
        var entries: [Value.MapEntry] = []
        var rest = values
        while let first = rest.first {
            let key = first.path.segments[depth]
            let end = rest.firstIndex { $0.path.segments[depth] != key } ?? rest.endIndex
            let isLeaf = first.path.segments.count == depth + 1
            let value = isLeaf ? first.value : .map(sorting: self.entries(rest[..<end], depth: depth + 1))
            entries.append(Value.MapEntry(key: key, value: value))
            rest = rest[end...]
        }
        return entries
    }
}
