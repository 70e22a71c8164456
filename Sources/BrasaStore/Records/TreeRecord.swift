import BrasaLog
import BrasaTree

/// A commit to a tree on its way to the log. Its nodes are encoded by the log's thread.
struct TreeRecord: LogPayload {
    private let name: TreeNamespace
    private let changes: [TreeChange]
    let byteCount: Int

    init(_ commit: TreeCommit) {
        var measure = RecordMeasure()
        measure.append(changes: commit.changes, of: commit.tree.name, withNodes: false)
        self.name = commit.tree.name
        self.changes = commit.changes
        self.byteCount = measure.byteCount + commit.nodeBytes
    }

    func write(into bytes: UnsafeMutableRawBufferPointer) {
        var cursor = RecordCursor(bytes)
        cursor.append(changes: self.changes, of: self.name)
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
}
