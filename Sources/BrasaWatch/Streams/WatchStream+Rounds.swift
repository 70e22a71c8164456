import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// How streams that are not live become so: a new target is told of its first state while the others stay live; then,
/// and whenever the stream has fallen behind, a round brings all of them to the watcher's position. When that takes so
/// long that the watcher has gone on meanwhile, another round follows; the stream hears of a consistent state after each.
extension WatchStream {
    /// Does as much as the turn and the sink allow.
    func proceed() {
        while !self.isClosed, self.unsettledCount > 0 {
            guard self.sink.isWritable else {
                if self.stalledSince == nil { self.stalledSince = self.watcher.turn.now }
                return
            }
            guard self.watcher.turn.readsLeft > 0, self.watcher.turn.eventsLeft > 0,
                self.watcher.isPositionKnown(in: self.database)
            else {
                return self.watcher.enqueue(self)
            }
            guard self.advance() else { return }
        }
    }

    /// One piece; false when there is nothing to do, or it waits for a window, after which it is queued again.
    private func advance() -> Bool {
        if case .newTargets = self.course {
            self.course = .anything
            if self.begin() { return true }
        }
        if case .anything = self.course, !self.beginRound(), !self.begin() {
            // The watcher has commits to take first, or other streams are to be told.
            if !self.watcher.hasRoomForWindows
                || self.targets.contains(where: { $0.notBefore > self.watcher.position })
            {
                self.watcher.enqueue(self)
            }
            return false
        }
        if case .round(let round) = self.course, round.advance() { self.end(round) }
        return true
    }

    /// A window is kept as it is until the target has been told of it.
    private func hasRoom(for target: WatchTarget) -> Bool {
        target.view.window == nil || self.watcher.hasRoomForWindows
    }

    // MARK: First states

    /// Goes on with the first target that has not been told of a state and can be; false when there is none.
    private func begin() -> Bool {
        for target in self.targets {
            switch target.phase {
            case .waiting(let known?) where target.isReady:
                target.phase = .behind(known)
                return true
            case .waiting(nil) where target.isReady && self.hasRoom(for: target):
                self.start(target)
                return true
            case .beginning(let passage):
                self.walk(passage, of: target)
                return true
            default: break
            }
        }
        return false
    }

    private func start(_ target: WatchTarget) {
        let passage = Passage(of: target, from: nil, to: self.watcher.base(in: self.table))
        target.phase = .beginning(passage)
        self.walk(passage, of: target)
    }

    private func walk(_ passage: Passage, of target: WatchTarget) {
        do throws(StoreError) {
            if try passage.walk() { target.phase = .behind(WatchTarget.Known(base: passage.goal)) }
        } catch {
            target.restart()
        }
    }

    // MARK: Rounds

    /// False when no target is behind, or one cannot be told of the watcher's state yet. `hasTold`: the client knows a part
    /// of what is to be told.
    private func beginRound(hasTold: Bool = false) -> Bool {
        var isNeeded = false
        for target in self.targets {
            if case .behind = target.phase {
                guard target.isReady, self.hasRoom(for: target) else { return false }
                isNeeded = true
            }
        }
        guard isNeeded else { return false }
        let goal = self.watcher.base(in: self.table)
        self.fallBehind()
        var isCatchingUp = false
        var ways: ContiguousArray<Round.Way> = []
        for target in self.targets {
            guard case .behind(let known) = target.phase else { continue }
            let isElsewhere = known.base.time != goal.time
            if known.isCurrent, isElsewhere { isCatchingUp = true }
            // Someone who expects a count may be wrong without any difference.
            let isToBeTold = isElsewhere || known.expectedCount != nil
            let passage = isToBeTold ? Passage(of: target, from: known, to: goal, hasTold: hasTold) : nil
            ways.append(Round.Way(target: target, passage: passage))
        }
        self.course = .round(Round(to: goal, ways, isCatchingUp: isCatchingUp, began: self.watcher.turn.now))
        return true
    }

    /// The stream was told a part of the step that the watcher has just taken. A round to the same state says what is
    /// missing; nothing else may follow, since nobody knows any more what the part was.
    func beginRestOfStep() {
        if self.isClosed { return }
        if !self.beginRound(hasTold: true) {
            for target in self.targets { if case .behind = target.phase { target.restart() } }
        }
        self.watcher.enqueue(self)
    }

    private func end(_ round: Round) {
        self.course = .newTargets
        let snapshot = self.table.snapshot(at: round.goal.time, of: self.watcher)
        var arrived: ContiguousArray<WatchTarget> = []
        for way in round.ways {
            let target = way.target
            guard case .behind(let known) = target.phase, known.base.time == round.goal.time else { continue }
            arrived.append(target)
            if known.isCurrent { continue }
            self.send(.current(target.ids, snapshot))
            self.tokens.clear(target)
            target.phase = .behind(WatchTarget.Known(base: known.base, isCurrent: true))
        }
        guard !arrived.isEmpty else { return }
        if round.isCatchingUp { self.watcher.values.snapshotsCoalesced += 1 }
        self.snapshot(at: round.goal.time)
        for target in arrived where target.once { self.end(target, cause: nil) }
        if round.goal.time == self.watcher.position {
            for target in arrived where !target.isEnded { target.phase = .live }
        }
    }

    // MARK: Time

    private func beat() {
        if self.isLive {
            self.snapshot(at: self.watcher.position)
        } else {
            // Clients give up streams that say nothing, and would begin again what is under way.
            self.sayAlive()
        }
    }

    /// Tells an idle stream the time; whether it was one. One that has taken nothing for longer than `patience`, or so
    /// little that it is on one way for much longer, keeps no versions from going any more: if they do, it begins again.
    func tick() -> Bool {
        let (now, patience) = (self.watcher.turn.now, self.watcher.configuration.patience)
        let isIdle = !self.targets.isEmpty && now - self.lastTold >= self.watcher.configuration.heartbeat
        let isBeating = isIdle && self.sink.isWritable && !self.isClosed
        if isBeating { self.beat() }
        guard self.unsettledCount > 0 else { return isBeating }
        let isStalled = self.stalledSince.map { now - $0 >= patience } ?? false
        let isSlow = self.wayBegan.map { (now - $0) / Self.patiencesPerWay >= patience } ?? false
        if isStalled || isSlow { self.giveUp() }
        return isBeating
    }

    /// Holds nothing any more of the states that it is on the way between.
    func giveUp() {
        self.stalledSince = nil
        if case .round(let round) = self.course {
            for way in round.ways where way.passage?.hasTold == true { way.target.restart() }
            self.course = .anything
        }
        for target in self.targets {
            switch target.phase {
            case .beginning: target.restart()
            case .behind(let known): target.phase = .behind(known.unpinned)
            case .waiting(let known?): target.phase = .waiting(known.unpinned)
            case .waiting(nil), .live, .ended: break
            }
        }
    }

    private static let patiencesPerWay = 10

    /// When the oldest of the ways that it is on began.
    private var wayBegan: MonotonicTime? {
        var began: MonotonicTime? = if case .round(let round) = self.course { round.began } else { nil }
        for target in self.targets {
            if case .beginning(let passage) = target.phase { began = min(began ?? passage.began, passage.began) }
        }
        return began
    }
}
