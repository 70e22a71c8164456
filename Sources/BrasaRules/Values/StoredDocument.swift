internal import BrasaDocuments

/// A document that is stored, or will be, as the map that rules see. Most rules look at its data only, so that the rest is made
/// when it is asked for.
final class StoredDocument: Sendable {
    private enum Name {
        case known(RulePath)
        case inDatabase(UTF8Text)
    }

    private static let nameKey: RuleText = "__name__"
    private static let dataKey: RuleText = "data"
    private static let idKey: RuleText = "id"

    private let fields: EncodedFields
    private let path: ResourcePath
    private let name: Name

    /// - Parameter name: the path as the rule wrote it.
    init(_ fields: EncodedFields, at path: ResourcePath, name: RulePath) {
        (self.fields, self.path, self.name) = (fields, path, .known(name))
    }

    init(_ fields: EncodedFields, at path: ResourcePath, in database: UTF8Text) {
        (self.fields, self.path, self.name) = (fields, path, .inDatabase(database))
    }

    /// The same of which no more is known than this of its data.
    static func known(_ data: RuleMap) -> RuleMap {
        RuleMap(known: [RuleMap.Entry(key: Self.dataKey, value: .map(data))])
    }

    static let count = 3

    func value(_ key: RuleText, _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        if try RuleText.equal(key, Self.dataKey, &work) { return .map(RuleMap(self.fields)) }
        if try RuleText.equal(key, Self.idKey, &work) { return .string(self.id) }
        return try RuleText.equal(key, Self.nameKey, &work) ? .path(try self.name(&work)) : nil
    }

    /// In the order of their keys.
    func entry(_ index: Int, _ work: inout Work) throws(EvaluationError) -> RuleMap.Entry? {
        switch index {
        case 0: RuleMap.Entry(key: Self.nameKey, value: .path(try self.name(&work)))
        case 1: RuleMap.Entry(key: Self.dataKey, value: .map(RuleMap(self.fields)))
        case 2: RuleMap.Entry(key: Self.idKey, value: .string(self.id))
        default: nil
        }
    }

    private func name(_ work: inout Work) throws(EvaluationError) -> RulePath {
        switch self.name {
        case .known(let name): return name
        case .inDatabase(let database):
            try work.spend(RulePath.work(self.path))
            return RulePath(database: database, path: self.path)
        }
    }

    private var id: RuleText { RuleText(validated: RuleBytes(self.path.lastSegment)) }
}
