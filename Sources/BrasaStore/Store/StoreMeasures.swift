import BrasaMeasures

/// What the writer's section counts.
struct CommitMeasures: Sendable {
    private enum Cell: Int, CaseIterable {
        case commits, changes
    }

    private let cells = CounterBlock(count: Cell.allCases.count)
    private let refusals = CounterBlock(count: CommitRefusal.allCases.count)

    func committed(changes: Int) {
        self.cells.add(1, at: Cell.commits.rawValue)
        self.cells.add(changes, at: Cell.changes.rawValue)
    }

    func refused(_ code: StoreError.Code) {
        guard let reason = CommitRefusal(code) else { return }
        self.refusals.add(1, at: reason.rawValue)
    }

    var commits: Int { self.cells[Cell.commits.rawValue] }
    var changes: Int { self.cells[Cell.changes.rawValue] }

    func refusals(_ reason: CommitRefusal) -> Int { self.refusals[reason.rawValue] }
}

/// Why a commit was not taken though there was nothing wrong with what it says.
package enum CommitRefusal: Int, CaseIterable, Sendable {
    case memory, disk, queue, size, log

    init?(_ code: StoreError.Code) {
        switch code {
        case .memoryFull, .tooMuchLeft: self = .memory
        case .diskFull: self = .disk
        case .resourceExhausted: self = .queue
        case .commitTooLarge: self = .size
        case .unavailable: self = .log
        case .readTimeTooOld, .readTimeInFuture, .readTimeBeforeCreation, .unrecoverable: return nil
        }
    }

    /// As metrics name it.
    package var name: String {
        switch self {
        case .memory: "memory"
        case .disk: "disk"
        case .queue: "queue"
        case .size: "size"
        case .log: "log"
        }
    }
}

package struct CheckpointMeasures: Hashable, Sendable {
    package var written = 0
    package var failed = 0
    /// Of the last that was written.
    package var microseconds = 0
    /// By the wall clock; nil: none since the start.
    package var lastMicroseconds: Int64?
}
