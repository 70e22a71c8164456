package import BrasaStore
package import BrasaTree

/// What administrators' tools set for a tree beside its rules.
package enum TreeSetting: String, CaseIterable, Sendable {
    /// The `writeSizeLimit` of writes that name none.
    case defaultWriteSizeLimit
    /// Whether a write that would call too many functions fails. It is kept and shown: no functions are called.
    case strictTriggerValidation

    /// Trees with settings.
    package static let treesMax = 1_000
    /// In the tree of settings.
    package static let place = "settings"

    package func location(in tree: TreeNamespace) throws(TreeError) -> TreeLocation {
        try TreeLocation("\(Self.place)/\(tree)/\(self.rawValue)")
    }

    /// What it may be. The first is what it is until somebody sets it.
    package var values: [JSONValue] {
        switch self {
        case .defaultWriteSizeLimit: ["large", "unlimited", "medium", "small"].map { .string(TreeText($0)) }
        case .strictTriggerValidation: [.scalar(.boolean(true)), .scalar(.boolean(false))]
        }
    }
}
