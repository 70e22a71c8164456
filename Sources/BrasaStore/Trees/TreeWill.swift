package import BrasaTree

/// Names what one session leaves: by the time of the record that began it, which no other has.
package struct TreeWillID: Hashable, Comparable, Sendable {
    let time: Int64

    package static func < (left: TreeWillID, right: TreeWillID) -> Bool { left.time < right.time }
}

/// What one session leaves: writes that are carried out when it ends, also by the end of the process.
package struct TreeWill: Sendable {
    package let tree: TreeHandle
    /// As whom they are to be written. The store does not look into it.
    package private(set) var author: [UInt8] = []
    package private(set) var queue: DisconnectQueue

    init(of tree: TreeHandle, _ queue: DisconnectQueue = DisconnectQueue(), by author: [UInt8] = []) {
        (self.tree, self.queue, self.author) = (tree, queue, author)
    }

    mutating func apply(_ change: TreeWillChange) {
        switch change {
        case .add(let write): self.queue.add(write)
        case .cancel(let place): self.queue.cancel(at: place)
        case .author(let author): self.author = author
        }
    }

    /// About what it takes in memory.
    package static func keptBytes(_ queue: DisconnectQueue, author: [UInt8]) -> Int {
        512 + author.count + queue.keptBytes
    }
}

/// What becomes of it while its session lives. The same changes in the same order make the same will.
package enum TreeWillChange: Sendable {
    case add(TreeWrite)
    /// Of a place and what is beneath, or of a priority alone.
    case cancel(TreeLocation)
    /// From now on it is written as somebody else.
    case author([UInt8])
}

/// A step in what a session leaves, with what takes long made beforehand, where nobody waits.
package struct TreeWillStep: Sendable {
    /// Nil: it begins with this one.
    let will: TreeWillID?
    let tree: TreeHandle
    /// Nil: the session leaves nothing any more.
    let changes: [TreeWillChange]?
    /// About what it takes afterwards.
    let keptBytes: Int
    /// The changes, as a record has them.
    let bytes: [UInt8]

    /// - Parameters:
    ///   - changes: one at least.
    ///   - keptBytes: `TreeWill.keptBytes`, of what it is afterwards.
    package init(_ changes: [TreeWillChange], of will: TreeWillID?, in tree: TreeHandle, keptBytes: Int) {
        var bytes = RecordWriter(capacity: 256)
        for change in changes { bytes.append(change) }
        (self.will, self.tree, self.changes, self.keptBytes) = (will, tree, changes, keptBytes)
        self.bytes = bytes.bytes
    }

    /// The session leaves nothing any more.
    package init(forgetting will: TreeWillID, in tree: TreeHandle) {
        var bytes = RecordWriter(capacity: 1)
        bytes.append(WillStepKind.forget.rawValue)
        (self.will, self.tree, self.changes, self.keptBytes) = (will, tree, nil, 0)
        self.bytes = bytes.bytes
    }
}
