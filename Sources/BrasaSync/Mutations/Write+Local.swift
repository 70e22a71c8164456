internal import BrasaDocuments

extension Write {
    /// What the user shall see of the write before the server answers. A write whose precondition does not hold shows
    /// nothing. Gives the changes with those of this write.
    func applyLocally(to document: inout SyncDocument, changes: FieldChanges, time: Timestamp) -> FieldChanges {
        guard self.isMet(by: document) else { return changes }
        switch self.operation {
        case .verify: return changes
        case .delete:
            document.changeLocally(to: .missing)
            return .whole
        case .set(let fields):
            document.changeLocally(to: .found(self.transformed(fields, from: document.fields, time: time)))
            return .whole
        case .merge(let fields, let mask):
            let old = document.fields
            let merged = old.merged(with: fields, mask: mask)
            document.changeLocally(to: .found(self.transformed(merged, from: old, time: time)))
            return changes.adding(mask + self.transforms.map(\.path))
        }
    }

    func isMet(by document: SyncDocument) -> Bool {
        switch self.precondition {
        case nil: true
        case .exists(let exists): document.isFound == exists
        case .updateTime(let time): document.isFound && document.version == time
        }
    }

    /// The fields with estimates of what the transforms will make of `old`, the fields before the write.
    private func transformed(_ fields: EncodedFields, from old: EncodedFields, time: Timestamp) -> EncodedFields {
        guard !self.transforms.isEmpty else { return fields }
        var edit = FieldEdit(fields)
        for transform in self.transforms {
            edit.set(transform.estimate(from: old.value(at: transform.path), time: time), at: transform.path)
        }
        return edit.finish()
    }

    /// The values that the increments of the write start from, as a write that puts them back. Nil without increments, or
    /// when there is nothing to put back into.
    func incrementBase(in document: SyncDocument) -> Write? {
        let paths = self.transforms.compactMap { transform in
            if case .increment = transform.operation { transform.path } else { nil }
        }
        guard !paths.isEmpty else { return nil }
        var edit = FieldEdit(.empty)
        for path in paths {
            let value = document.fields.value(at: path)
            edit.set(value.flatMap { $0.isNumber ? $0 : nil } ?? .integer(0), at: path)
        }
        return Write(name: self.name, operation: .merge(edit.finish(), mask: paths), precondition: .exists(true))
    }
}

extension FieldTransform {
    func estimate(from old: Value?, time: Timestamp) -> Value {
        switch self.operation {
        case .requestTime: PendingTimestamp(localWriteTime: time, replacing: old).value
        default: self.applied(to: old, requestTime: time).new
        }
    }
}
