package import BrasaDocuments

/// The documents of a scope whose paths lie between two bounds: what a scan in name order reads.
package struct NameRange: Hashable, Sendable {
    /// The root or a document.
    package var parent: ResourcePath
    /// Nil: documents of any collection.
    package var collectionID: UTF8Text?
    /// Documents at any depth below the parent, not only in its own collections.
    package var allDescendants: Bool
    package var lower: NameBound?
    package var upper: NameBound?

    package init(
        parent: ResourcePath,
        collectionID: UTF8Text?,
        allDescendants: Bool,
        lower: NameBound? = nil,
        upper: NameBound? = nil
    ) {
        self.parent = parent
        self.collectionID = collectionID
        self.allDescendants = allDescendants
        self.lower = lower
        self.upper = upper
    }

    /// Whether a document's path lies in the scope and between the bounds.
    package func contains(_ path: ResourcePath) -> Bool {
        self.isInScope(path) && self.isWithinBounds(path)
    }

    package func isInScope(_ path: ResourcePath) -> Bool {
        guard path.isDocument, path.isDescendant(of: self.parent) else { return false }
        guard self.allDescendants || path.segmentCount == self.parent.segmentCount + 2 else { return false }
        guard let collectionID = self.collectionID else { return true }
        return collectionID.isEqual(to: path.collectionID)
    }

    package func isWithinBounds(_ path: ResourcePath) -> Bool {
        if let lower = self.lower {
            switch ResourcePath.compare(path, lower.path) {
            case .ascending: return false
            case .same where !lower.isInclusive: return false
            default: break
            }
        }
        if let upper = self.upper {
            switch ResourcePath.compare(path, upper.path) {
            case .descending: return false
            case .same where !upper.isInclusive: return false
            default: break
            }
        }
        return true
    }

    /// Whether the bounds exclude everything.
    package var isEmpty: Bool {
        guard let lower = self.lower, let upper = self.upper else { return false }
        return switch ResourcePath.compare(lower.path, upper.path) {
        case .ascending: false
        case .same: !(lower.isInclusive && upper.isInclusive)
        case .descending: true
        }
    }

    /// What is left of the range behind a document: where the next page of an ascending (or descending) scan begins.
    package func resumed(after path: ResourcePath, isDescending: Bool) -> NameRange {
        let bound = NameBound(path: path, isInclusive: false)
        var rest = self
        if isDescending {
            rest.upper = NameBound.lower(self.upper, bound)
        } else {
            rest.lower = NameBound.higher(self.lower, bound)
        }
        return rest
    }
}
