import BrasaDocuments

/// One target of a stream: where it stands among the states of its view.
final class WatchTarget {
    enum Phase {
        /// Not begun: until the watcher has come to `notBefore`, and the view has its window. With what the client has.
        case waiting(Base?)
        /// On its first way, from nothing.
        case beginning(Passage)
        /// Told of everything up to a state that may be an earlier one than the watcher's.
        case behind(Base)
        /// At the watcher's position, and told of each step.
        case live
    }

    let id: Int32
    /// The id alone, as events have it.
    let ids: [Int32]
    let stream: WatchStream
    let view: View
    let once: Bool
    let selectionBytes: Int
    /// Given up with the first answer to it.
    var expectedCount: Int?
    /// A state before this one would lack commits that were acknowledged before the target was added.
    let notBefore: Timestamp
    /// In its round.
    var passage: Passage?
    /// Whether it was said to be current since it began.
    var isCurrent = false
    var isEnded = false
    /// It was told something since its last token.
    var isAhead = false
    var subscriberIndex = 0
    private(set) var isLive = false

    var phase: Phase {
        didSet {
            let wasLive = self.isLive
            if case .live = self.phase { self.isLive = true } else { self.isLive = false }
            if wasLive != self.isLive { self.stream.unsettledCount += wasLive ? 1 : -1 }
        }
    }

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
        self.expectedCount = base == nil ? nil : request.expectedCount
        self.notBefore = notBefore
        self.phase = .waiting(base)
        stream.unsettledCount += 1
    }

    /// Whether its view can be told from the watcher's position.
    var isReady: Bool { self.view.isReady && self.notBefore <= self.stream.watcher.position }

    /// What it was told leads nowhere, since versions are gone: all of it again.
    func restart() {
        self.stream.send(.reset(self.ids))
        self.stream.watcher.values.resets += 1
        self.stream.watcher.eventsLeft -= 1
        self.passage = nil
        self.isCurrent = false
        self.expectedCount = nil
        self.phase = .waiting(nil)
    }
}
