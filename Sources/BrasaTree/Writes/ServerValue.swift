/// A value that the server works out when a write is carried out.
package enum ServerValue: Hashable, Sendable {
    /// Milliseconds since 1970.
    case timestamp
    /// The present number plus this one, which is an integer or a double.
    case increment(TreeScalar)

    /// What `.sv` holds; nil for what is no server value.
    init?(_ node: TreeNode) {
        if case .string("timestamp") = node.scalar {
            self = .timestamp
            return
        }
        guard node.childCount == 1, let only = node.children.first(where: { _ in true }), only.key.text == "increment",
            let delta = only.node.scalar, delta.number != nil, only.node.priority.isNone
        else { return nil }
        self = .increment(delta)
    }

    /// `present` is what stands at the same place before the write; what is no number counts as nothing.
    package func resolved(present: TreeScalar?, milliseconds: Int64) -> TreeScalar {
        guard case .increment(let delta) = self else { return .integer(milliseconds) }
        if case .integer(let present)? = present, case .integer(let delta) = delta {
            let (sum, overflow) = present.addingReportingOverflow(delta)
            if !overflow { return .integer(sum) }
        }
        guard let present = present?.number, let number = delta.number else { return delta }
        let sum = present + number
        let limit = Double.greatestFiniteMagnitude
        return TreeScalar.number(min(max(sum, -limit), limit)) ?? delta
    }
}
