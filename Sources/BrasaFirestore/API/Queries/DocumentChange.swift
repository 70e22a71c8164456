internal import Foundation

/// What happened to a document between two snapshots of a query.
public enum DocumentChangeType: Int, Sendable {
    case added = 0
    case modified = 1
    case removed = 2
}

/// A document that changed between two snapshots of a query.
public final class DocumentChange: Sendable {
    public let type: DocumentChangeType
    /// Of a removed document the last known content.
    public let document: QueryDocumentSnapshot
    /// Where it was when the earlier changes of the list had been made; `UInt(NSNotFound)` for added documents.
    public let oldIndex: UInt
    /// Where it is when this change has been made as well; `UInt(NSNotFound)` for removed documents.
    public let newIndex: UInt

    init(type: DocumentChangeType, document: QueryDocumentSnapshot, oldIndex: Int?, newIndex: Int?) {
        self.type = type
        self.document = document
        self.oldIndex = UInt(oldIndex ?? NSNotFound)
        self.newIndex = UInt(newIndex ?? NSNotFound)
    }
}

extension DocumentChange: Hashable, CustomStringConvertible {
    public static func == (left: DocumentChange, right: DocumentChange) -> Bool {
        left.type == right.type && left.document == right.document && left.oldIndex == right.oldIndex
            && left.newIndex == right.newIndex
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.type)
        hasher.combine(self.document)
    }

    public var description: String { "<DocumentChange: \(self.type) \(self.document)>" }
}
