internal import BrasaDocuments

/// What the aggregator knows of one target since the last snapshot.
struct WatchTarget {
    enum Change {
        case added, modified, removed
    }

    /// Requests for the target that the server has not answered. Until it has, what it says is about the target as it was.
    private var pendingResponses = 0
    private var changes: [ResourcePath: Change] = [:]
    private var resumeToken: [UInt8] = []
    private(set) var isCurrent = false
    /// True at first, so that the first snapshot tells the views of the target.
    private(set) var hasPendingChanges = true

    var isPending: Bool { self.pendingResponses > 0 }

    mutating func recordRequest() {
        self.pendingResponses += 1
    }

    mutating func recordResponse() {
        self.pendingResponses = max(0, self.pendingResponses - 1)
    }

    mutating func markCurrent() {
        self.hasPendingChanges = true
        self.isCurrent = true
    }

    mutating func take(_ token: [UInt8]) {
        guard !token.isEmpty else { return }
        self.hasPendingChanges = true
        self.resumeToken = token
    }

    mutating func record(_ change: Change?, of path: ResourcePath) {
        self.hasPendingChanges = true
        self.changes[path] = change
    }

    mutating func clearChanges() {
        self.hasPendingChanges = false
        self.changes = [:]
    }

    func hasReceived(_ path: ResourcePath) -> Bool {
        switch self.changes[path] {
        case .added, .modified: true
        case .removed, nil: false
        }
    }

    var targetChange: TargetChange {
        var change = TargetChange(resumeToken: self.resumeToken, isCurrent: self.isCurrent)
        for (path, kind) in self.changes {
            switch kind {
            case .added: change.added.insert(path)
            case .modified: change.modified.insert(path)
            case .removed: change.removed.insert(path)
            }
        }
        return change
    }

    /// How many documents the target has if it had `count` at the last snapshot.
    func documentCount(from count: Int) -> Int {
        self.changes.values.reduce(count) { count, change in
            switch change {
            case .added: count + 1
            case .modified: count
            case .removed: count - 1
            }
        }
    }
}
