import BrasaStore
import BrasaTree

/// What administrators' tools set for a tree beside its rules. It is kept and shown; what it is about is not there: writes are
/// not estimated, and no functions are called.
package enum TreeSetting: String, CaseIterable, Sendable {
    /// The `writeSizeLimit` of writes that name none.
    case defaultWriteSizeLimit
    /// Whether a write that would call too many functions fails.
    case strictTriggerValidation

    /// Trees with settings.
    static let treesMax = 1_000
    /// In the tree of settings.
    static let place = "settings"

    func location(in tree: TreeNamespace) throws(TreeError) -> TreeLocation {
        try TreeLocation("\(Self.place)/\(tree)/\(self.rawValue)")
    }

    /// What it may be. The first is what it is until somebody sets it.
    var values: [JSONValue] {
        switch self {
        case .defaultWriteSizeLimit: ["large", "unlimited", "medium", "small"].map { .string(TreeText($0)) }
        case .strictTriggerValidation: [.scalar(.boolean(true)), .scalar(.boolean(false))]
        }
    }
}
