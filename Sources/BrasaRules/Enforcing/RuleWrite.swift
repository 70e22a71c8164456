package import BrasaDocuments

/// One write of a commit, as far as rules tell writes apart. What the documents become, they ask of `RuleDocuments`.
package struct RuleWrite: Sendable {
    package enum Kind: Hashable, Sendable {
        case set
        case delete
        /// Writes nothing: that the document is as it was read.
        case verify
    }

    /// What the write demands of the document before it. A demanded update time demands that the document is there.
    package enum Precondition: Hashable, Sendable {
        case none, exists, isMissing
    }

    package var path: ResourcePath
    package var kind: Kind
    package var precondition: Precondition

    package init(_ kind: Kind, _ path: ResourcePath, _ precondition: Precondition = .none) {
        self.path = path
        self.kind = kind
        self.precondition = precondition
    }
}

/// All that a commit does to one document, which is judged once: from what it was before the commit to what it is after
/// all writes.
struct FoldedWrite: Sendable {
    let path: ResourcePath
    /// Of the first write. It decides against the document that is there; what later ones demand is about the commit's
    /// own work.
    private let precondition: RuleWrite.Precondition
    private var deletes: Bool

    private init(_ write: RuleWrite) {
        self.path = write.path
        self.precondition = write.precondition
        self.deletes = write.kind == .delete
    }

    /// In the order in which documents are first written.
    static func fold(_ writes: [RuleWrite]) -> [FoldedWrite] {
        if let only = writes.first, writes.count == 1 { return only.kind == .verify ? [] : [FoldedWrite(only)] }
        var folded = PathTable<FoldedWrite>()
        for write in writes where write.kind != .verify {
            if let place = folded.place(of: write.path) {
                folded.entries[place].value.deletes = write.kind == .delete
            } else {
                folded.append(write.path, FoldedWrite(write))
            }
        }
        return folded.entries.map(\.value)
    }

    /// Which method must be allowed. A precondition is not looked up: whoever demands that a document is there asks to
    /// update it, and learns only when that is allowed that it is missing.
    func method(exists: Bool) -> RuleMethod {
        if self.deletes { return .delete }
        return switch self.precondition {
        case .exists: .update
        case .isMissing: .create
        case .none: exists ? .update : .create
        }
    }
}
