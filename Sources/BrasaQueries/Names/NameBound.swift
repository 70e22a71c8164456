package import BrasaDocuments

/// One end of a range of document paths. The path need not be of an existing document, nor lie in the range's scope.
package struct NameBound: Hashable, Sendable {
    package var path: ResourcePath
    package var isInclusive: Bool

    package init(path: ResourcePath, isInclusive: Bool) {
        self.path = path
        self.isInclusive = isInclusive
    }

    /// As a lower bound, whichever of the two leaves less; nil is no bound.
    package static func higher(_ left: NameBound?, _ right: NameBound?) -> NameBound? {
        self.tighter(left, right, when: .descending)
    }

    /// As an upper bound.
    package static func lower(_ left: NameBound?, _ right: NameBound?) -> NameBound? {
        self.tighter(left, right, when: .ascending)
    }

    private static func tighter(_ left: NameBound?, _ right: NameBound?, when wanted: Ordering) -> NameBound? {
        guard let left else { return right }
        guard let right else { return left }
        switch ResourcePath.compare(left.path, right.path) {
        case .same: return left.isInclusive ? right : left
        case let order: return order == wanted ? left : right
        }
    }
}
