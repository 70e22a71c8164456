package import BrasaDocuments

/// All that queued writes do to one document, without transforms and preconditions: what is to be seen is the document
/// from the server with this on top.
package enum Overlay: Hashable, Sendable {
    case set(EncodedFields)
    /// Sets the paths that the fields have, removes those that they lack.
    case patch(EncodedFields, paths: [FieldPath])
    case delete

    /// Nil when the writes changed nothing. `document` is the one after them.
    init?(of document: SyncDocument, _ changes: FieldChanges) {
        guard document.hasLocalMutations else { return nil }
        switch changes {
        case .whole:
            self = document.isFound ? .set(document.fields) : .delete
        case .fields(let paths):
            guard !paths.isEmpty else { return nil }
            var edit = FieldEdit(.empty)
            var mask: Set<FieldPath> = []
            for path in paths.sorted() {
                var path = path
                var value = document.fields.encodedValue(at: path)
                // A removed field may leave its empty parent behind, which a removal alone would not make.
                if value == nil, let parent = path.parent {
                    path = parent
                    value = document.fields.encodedValue(at: path)
                }
                if let value { edit.set(encoded: value, at: path) }
                mask.insert(path)
            }
            self = .patch(edit.finish(), paths: mask.sorted())
        }
    }

    /// What the overlay changes.
    var changes: FieldChanges {
        switch self {
        case .set, .delete: .whole
        case .patch(_, let paths): .fields(Set(paths))
        }
    }

    func apply(to document: inout SyncDocument) {
        switch self {
        case .set(let fields): document.changeLocally(to: .found(fields))
        case .delete: document.changeLocally(to: .missing)
        case .patch(let fields, let paths):
            document.changeLocally(to: .found(document.fields.merged(with: fields, mask: paths)))
        }
    }
}

/// An overlay and the newest batch that it comes from.
package struct StoredOverlay: Hashable, Sendable {
    package let batchID: BatchID
    package let overlay: Overlay

    package init(batchID: BatchID, overlay: Overlay) {
        self.batchID = batchID
        self.overlay = overlay
    }
}

/// Which fields of a document writes have changed.
enum FieldChanges: Hashable, Sendable {
    /// The document was replaced, created or deleted.
    case whole
    case fields(Set<FieldPath>)

    static let none = FieldChanges.fields([])

    func adding(_ paths: [FieldPath]) -> FieldChanges {
        switch self {
        case .whole: .whole
        case .fields(let fields): .fields(fields.union(paths))
        }
    }
}

extension EncodedFields {
    /// With the masked paths taken from other fields, and those removed that the others lack.
    func merged(with new: EncodedFields, mask: [FieldPath]) -> EncodedFields {
        // Of a write that has transforms only.
        if mask.isEmpty { return self }
        var edit = FieldEdit(self)
        for path in mask {
            if let value = new.encodedValue(at: path) {
                edit.set(encoded: value, at: path)
            } else {
                edit.remove(at: path)
            }
        }
        return edit.finish()
    }
}

extension FieldPath {
    /// Nil for a top-level field.
    var parent: FieldPath? {
        self.segments.count > 1 ? try? FieldPath(names: Array(self.segments.dropLast())) : nil
    }
}
