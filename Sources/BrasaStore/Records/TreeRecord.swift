import BrasaLog
import BrasaTree

/// A commit to a tree on its way to the log. Its nodes are encoded by the log's thread.
struct TreeRecord: LogPayload {
    /// Changes and their placements of one commit. They take far more memory than bytes in a record.
    static let placementsMax = 1 << 17

    private let name: TreeNamespace
    private let changes: [TreeChange]
    /// Of what a session left that ends with it.
    private let age: Int64?
    let byteCount: Int

    init(_ commit: TreeCommit, ending age: Int64? = nil) {
        var measure = RecordMeasure()
        measure.append(changes: commit.changes, of: commit.tree.name, ending: age, withNodes: false)
        self.name = commit.tree.name
        self.changes = commit.changes
        self.age = age
        self.byteCount = measure.byteCount + commit.nodeBytes
    }

    func fits(bytesMax: Int) -> Bool {
        self.byteCount <= bytesMax
            && self.changes.reduce(0) { $0 + 1 + $1.placements.count } <= Self.placementsMax
    }

    func write(into bytes: UnsafeMutableRawBufferPointer) {
        var cursor = RecordCursor(bytes)
        cursor.append(changes: self.changes, of: self.name, ending: self.age)
        precondition(cursor.isAtEnd, "a record is as long as it was measured")
    }
}

extension TreeNode {
    /// What it takes in a record.
    var recordBytes: Int {
        var measure = RecordMeasure()
        measure.append(self)
        return measure.byteCount
    }

    /// What it has in a record before its children: for an inner node its kind, its priority and their number.
    fileprivate var headBytes: Int {
        var measure = RecordMeasure()
        measure.append(varint: UInt64(self.childCount))
        return measure.byteCount + TreeNode(.boolean(true), priority: self.priority).recordBytes
    }

    /// As a child, with its key.
    fileprivate func childBytes(_ key: TreeKey) -> Int {
        var measure = RecordMeasure()
        measure.append(prefixed: key.utf8)
        return measure.byteCount + self.recordBytes
    }
}

extension ServerValues {
    /// By how much a node's record is longer than that of the node that was written. Recursive, as deep as written values
    /// may be; goes only where something was worked out.
    func addedRecordBytes(from written: TreeNode, to resolved: TreeNode) -> Int {
        guard written.childCount > 0, resolved.childCount > 0 else {
            // What is here beside the server's values is a leaf at most.
            return resolved.recordBytes - written.recordBytes
        }
        return self.keyedChildren.reduce(resolved.headBytes - written.headBytes) { sum, child in
            let (old, new) = (written.child(child.key), resolved.child(child.key))
            if !old.isAbsent, !new.isAbsent { return sum + child.values.addedRecordBytes(from: old, to: new) }
            return sum + (new.isAbsent ? 0 : new.childBytes(child.key)) - (old.isAbsent ? 0 : old.childBytes(child.key))
        }
    }
}
