import BrasaDocuments
import BrasaQueries

/// The names of a leaf's documents. The keys of an index end with them, and a leaf leads to the documents anyway, so its keys
/// are stored without them.
struct KeyNames {
    /// In whose keys they are; nil: the block has whole keys.
    let scope: IndexDefinition.Scope?
    let chains: [DocumentChain]

    /// Of blocks that store whole keys.
    static let inKeys = KeyNames(scope: nil, chains: [])

    /// As the key of an entry ends; empty when the block has whole keys.
    func name(_ index: Int) -> [UInt8] {
        guard let scope = self.scope else { return [] }
        return Self.name(self.chains[index].path, in: scope)
    }

    static func name(_ path: ResourcePath, in scope: IndexDefinition.Scope) -> [UInt8] {
        var name = IndexKey(capacity: path.bytes.count + 16)
        scope.appendName(of: path, to: &name)
        return name.bytes
    }
}
