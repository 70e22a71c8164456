import BrasaDocuments
import BrasaRules

/// One write of a commit, as it is sent.
struct JSONWrite: Decodable {
    enum Kind: String, Decodable {
        case set, delete, verify
    }

    struct Transform: Decodable {
        var field: String
        /// As `setToServerValue` and its kin are called in a write.
        var op: String
        /// One for numbers, any number for arrays.
        var values: [JSONValue]?
    }

    var path: String
    var kind: Kind
    var fields: Fields?
    var mask: [String]?
    var transforms: [Transform]?
    /// Nil when nothing is demanded of what is there.
    var exists: Bool?

    func write() throws -> Write {
        guard let name = DocumentName(database: try .tested(), path: try ResourcePath(parsing: self.path.utf8)) else {
            throw JSONValue.Unknown()
        }
        let fields = self.fields?.fields ?? .empty
        let operation: Write.Operation =
            switch self.kind {
            case .delete: .delete
            case .verify: .verify
            case .set:
                try self.mask.map { mask in
                    .merge(fields, mask: try mask.map { try FieldPath(parsing: $0.utf8) })
                } ?? .set(fields)
            }
        return Write(
            name: name,
            operation: operation,
            transforms: try (self.transforms ?? []).map { try $0.transform() },
            precondition: self.exists.map { .exists($0) }
        )
    }

    /// What rules are asked about it.
    func ruleWrite() throws -> RuleWrite {
        let kind: RuleWrite.Kind =
            switch self.kind {
            case .set: .set
            case .delete: .delete
            case .verify: .verify
            }
        let precondition: RuleWrite.Precondition = self.exists.map { $0 ? .exists : .isMissing } ?? .none
        return RuleWrite(kind, try ResourcePath(parsing: self.path.utf8), precondition)
    }
}

extension JSONWrite.Transform {
    fileprivate func transform() throws -> FieldTransform {
        let values = (self.values ?? []).map(\.value)
        let operation: FieldTransform.Operation? =
            switch (self.op, values.first) {
            case ("setToServerValue", _): .requestTime
            case ("appendMissingElements", _): .appendMissingElements(values)
            case ("removeAllFromArray", _): .removeAllFromArray(values)
            case ("increment", let value?): .increment(value)
            case ("maximum", let value?): .maximum(value)
            case ("minimum", let value?): .minimum(value)
            default: nil
            }
        guard let operation else { throw JSONValue.Unknown() }
        return FieldTransform(path: try FieldPath(parsing: self.field.utf8), operation: operation)
    }
}

extension World {
    /// With what these writes make of the documents. Rules are asked before it is known whether the documents are as the
    /// writes demand.
    mutating func apply(_ writes: [Write], at time: Timestamp) throws {
        try Write.validate(commit: writes)
        var edits: [String: DocumentEdit] = [:]
        for write in writes {
            let path = write.name.path.string
            if case .verify = write.operation { continue }
            let base = self.before[path].map { Document(fields: $0, createTime: time, updateTime: time) }
            var edit = edits[path] ?? DocumentEdit(name: write.name, base: base)
            var free = write
            free.precondition = nil
            _ = try edit.apply(free, requestTime: time)
            edits[path] = edit
        }
        for (path, edit) in edits {
            switch try edit.finish() {
            case .unchanged: self.changes.updateValue(self.before[path], forKey: path)
            case .changed(let fields, _): self.changes.updateValue(fields, forKey: path)
            case .deleted: self.changes.updateValue(nil, forKey: path)
            }
        }
    }
}
