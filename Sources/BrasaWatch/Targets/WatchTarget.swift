import BrasaDocuments

/// One target of a stream: where it stands among the states of its view.
final class WatchTarget {
    enum Phase {
        /// Not begun: until the watcher has come to `notBefore`, and the view has its window. With what the client has.
        case waiting(Known?)
        /// On its first way, from nothing.
        case beginning(Passage)
        /// Told of everything up to a state that may be an earlier one than the watcher's.
        case behind(Known)
        /// At the watcher's position, and told of each step.
        case live
        /// Done, removed or failed.
        case ended
    }

    /// What the client has of a target.
    struct Known {
        var base: Base
        /// Whether it was said to be current since it began.
        var isCurrent = false
        /// How many documents the client says that it has, until that is answered.
        var expectedCount: Int?

        var unpinned: Known {
            Known(base: self.base.unpinned, isCurrent: self.isCurrent, expectedCount: self.expectedCount)
        }
    }

    // First what is asked of each target when a view is told of a change: thousands of them are not in the processor's caches.
    let id: Int32
    /// As the phase says.
    private(set) var isLive = false
    let stream: WatchStream
    /// The id alone, as events have it.
    let ids: [Int32]
    let view: View
    let once: Bool
    let selectionBytes: Int
    /// A state before this one would lack commits that were acknowledged before the target was added.
    let notBefore: Timestamp
    /// It was told something since its last token.
    var isAhead = false
    var subscriberIndex = 0

    var phase: Phase {
        didSet {
            if case .live = self.phase { self.isLive = true } else { self.isLive = false }
            self.stream.unsettledCount += (self.phase.isSettled ? 0 : 1) - (oldValue.isSettled ? 0 : 1)
        }
    }

    var isCurrent: Bool {
        switch self.phase {
        case .behind(let known): known.isCurrent
        case .live: true
        case .waiting, .beginning, .ended: false
        }
    }

    var isEnded: Bool { if case .ended = self.phase { true } else { false } }

    init(
        _ request: TargetRequest,
        id: Int32,
        stream: WatchStream,
        view: View,
        base: Base?,
        notBefore: Timestamp
    ) {
        self.id = id
        self.ids = [id]
        self.stream = stream
        self.view = view
        self.once = request.once
        self.selectionBytes = request.selectionBytes
        self.notBefore = notBefore
        self.phase = .waiting(base.map { Known(base: $0, expectedCount: request.expectedCount) })
        stream.unsettledCount += 1
    }

    /// Whether its view can be told from the watcher's position.
    var isReady: Bool { self.view.isReady && self.notBefore <= self.stream.watcher.position }

    /// What it was told leads nowhere, since versions are gone: all of it again.
    func restart() {
        self.stream.send(.reset(self.ids))
        self.stream.watcher.values.resets += 1
        self.stream.watcher.turn.eventsLeft -= 1
        self.phase = .waiting(nil)
    }
}

extension WatchTarget.Phase {
    /// Whether nothing has to be done before the target can be told of steps, or no longer.
    fileprivate var isSettled: Bool {
        switch self {
        case .live, .ended: true
        case .waiting, .beginning, .behind: false
        }
    }
}
