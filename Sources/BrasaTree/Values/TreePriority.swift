/// What a node may carry to be ordered by, beside its value: nothing, a number or a string, in this order.
package enum TreePriority: Hashable, Sendable {
    case none
    case number(Double)
    case string(TreeText)

    /// Nil for a boolean, which is no priority.
    package init?(_ scalar: TreeScalar) {
        switch scalar {
        case .boolean: return nil
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let text): self = .string(text)
        }
    }

    /// Nil for none.
    package var scalar: TreeScalar? {
        switch self {
        case .none: nil
        case .number(let value): TreeScalar.number(value)
        case .string(let text): .string(text)
        }
    }

    var isNone: Bool { if case .none = self { true } else { false } }

    /// What it adds to `TreeNode.estimate`.
    var estimate: Int { self.scalar.map { 24 + $0.estimate } ?? 0 }
}
