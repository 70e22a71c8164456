import BrasaPlatform
import BrasaQueries
import BrasaStore

extension LockTable {
    // MARK: Who stands in the way

    /// Whether nobody stands in the way, or for a commit only younger ones, who will lose their locks.
    func isGrantable(_ request: LockRequest) -> Bool {
        let owner = request.owner
        let isCommit = request.isCommit
        return self.forEachBlocker(of: request) { isCommit && owner.priority < $0.priority }
    }

    /// The one place that says who waits for whom. Returns false when `body` did. A search for circles is not told again
    /// of what it knows, and may be told of more (see `WaitSearch`).
    func forEachBlocker(
        of request: LockRequest,
        in search: WaitSearch? = nil,
        _ body: (LockOwner) -> Bool
    ) -> Bool {
        switch request.kind {
        case .read(let locks):
            for (key, mode) in locks {
                guard let entry = self.entries[key] else { continue }
                guard entry.forEachBlocker(of: request, mode: mode, in: search, body) else { return false }
            }
            return true
        case .scan(let range):
            guard let locks = self.databases[request.owner.database] else { return true }
            if let search { return search.listBlockers(ofScan: request, in: locks, self.previews).allSatisfy(body) }
            return locks.forEachBlocker(ofScan: request, range: range, self.previews, body)
        case .commit(let keys):
            for key in keys {
                guard let entry = self.entries[key] else { continue }
                guard entry.forEachBlocker(of: request, mode: nil, in: search, body) else { return false }
            }
            guard let locks = self.databases[request.owner.database] else { return true }
            if let search { return search.listBlockers(ofCommit: request, in: locks, self.previews).allSatisfy(body) }
            return locks.forEachBlocker(ofCommit: request, self.previews, body)
        }
    }

    /// Whose locks a commit takes away: distinct, in the order met.
    ///
    /// Complexity: O(holders of its documents and ranges). A plain commit that arrives is younger than all of them.
    func youngerHolders(inTheWayOf request: LockRequest) -> [LockOwner] {
        guard case .commit(let keys) = request.kind else { return [] }
        let owner = request.owner
        var victims: [LockOwner] = []
        var seen: Set<ObjectIdentifier> = []
        func add(_ victim: LockOwner) {
            if seen.insert(ObjectIdentifier(victim)).inserted { victims.append(victim) }
        }
        for key in keys {
            for holder in self.entries[key]?.holders.all ?? [] where owner.priority < holder.owner.priority {
                add(holder.owner)
            }
        }
        for hold in self.databases[owner.database]?.holds(around: keys) ?? []
        where owner.priority < hold.owner.priority && self.previews.conflicts(request, with: hold.range) {
            add(hold.owner)
        }
        return victims
    }

    /// Counts whom a commit is about to wound on documents that it has read itself.
    mutating func noteUpgradeConflicts(of request: LockRequest, keys: [LockKey], now: MonotonicTime) {
        for key in keys {
            guard let entry = self.entries[key], entry.mode(of: request.owner) != nil else { continue }
            let victims = entry.holders.all.count { request.owner.priority < $0.owner.priority }
            self.heat.noteConflicts(victims, on: key, now: now)
        }
    }

    // MARK: Holding

    mutating func grant(_ request: LockRequest, now: MonotonicTime) {
        let owner = request.owner
        request.phase = .granted(range: 0)
        switch request.kind {
        case .read(let locks):
            for (key, mode) in locks {
                let entry = self.entry(of: key)
                // A parallel read of the same transaction may have brought it.
                guard entry.mode(of: owner) == nil else { continue }
                entry.hold(owner, mode)
                owner.keys.append(key)
                self.heldDocuments += 1
            }
        case .scan(let range):
            self.rangeTokens += 1
            request.phase = .granted(range: self.rangeTokens)
            self.locks(of: owner.database).hold(range, self.rangeTokens, by: owner)
        case .commit(let keys):
            for key in keys {
                guard let entry = self.entries[key], !entry.queue.isEmpty else { continue }
                if entry.mode(of: owner) == .update { self.heat.keepHot(key, now: now) }
                // What the commits behind it would do changes with the document.
                self.changed(key, entry)
            }
        }
    }

    /// A scan that stopped early has seen less than it asked for.
    mutating func narrowRange(_ token: UInt64, of owner: LockOwner, to range: QueryRange) {
        guard let locks = self.databases[owner.database] else { return }
        guard locks.narrow(token, of: owner, to: range) else { return }
        self.changed(owner.database, locks, from: .oldest)
    }

    // MARK: Waiting

    mutating func enqueue(_ request: LockRequest) {
        var wait = LockRequest.Wait(bytes: request.byteCount)
        request.phase = .waiting(wait)
        request.owner.waiting.append(request)
        self.waitingCount += 1
        self.waitingBytes += wait.bytes
        switch request.kind {
        case .read(let locks):
            for (key, mode) in locks {
                let entry = self.entry(of: key)
                entry.enqueue(request, mode)
                guard mode == .update else { continue }
                let waitsForYounger = entry.holders.all.contains {
                    $0.mode == .update && request.owner.priority < $0.owner.priority
                }
                guard waitsForYounger, !wait.isForYounger else { continue }
                wait.isForYounger = true
                request.phase = .waiting(wait)
                self.readsWaitingForYounger[request.owner.database, default: 0] += 1
            }
        case .scan:
            self.locks(of: request.owner.database).enqueue(request)
        case .commit(let keys):
            for key in keys { self.entry(of: key).enqueue(request, nil) }
            self.locks(of: request.owner.database).enqueue(request)
        }
    }

    /// Out of all lines, if it waits.
    mutating func dequeue(_ request: LockRequest) {
        guard case .waiting(let wait) = request.phase else { return }
        request.phase = .over
        request.owner.waiting.removeAll { $0 === request }
        self.waitingCount -= 1
        self.waitingBytes -= wait.bytes
        if wait.isForYounger { self.noLongerWaitsForYounger(request.owner.database) }
        switch request.kind {
        case .read(let locks):
            for (key, mode) in locks { self.dequeue(mode, from: key) }
        case .scan:
            self.dequeueFromDatabase(request)
        case .commit(let keys):
            for key in keys { self.dequeue(nil, from: key) }
            self.dequeueFromDatabase(request)
        }
    }

    private mutating func noLongerWaitsForYounger(_ database: DatabaseHandle) {
        guard let count = self.readsWaitingForYounger[database] else { return }
        self.readsWaitingForYounger[database] = count > 1 ? count - 1 : nil
    }

    private mutating func dequeue(_ mode: LockMode?, from key: LockKey) {
        guard let entry = self.entries[key] else { return }
        entry.dequeue(mode)
        self.changed(key, entry)
    }

    private mutating func dequeueFromDatabase(_ request: LockRequest) {
        guard let locks = self.databases[request.owner.database] else { return }
        locks.dequeue(request)
        // Nobody who is older waits for it.
        self.changed(request.owner.database, locks, from: request.owner.priority)
    }

    // MARK: Entries that come and go

    private mutating func entry(of key: LockKey) -> LockEntry {
        if let entry = self.entries[key] { return entry }
        let entry = LockEntry()
        self.entries[key] = entry
        return entry
    }

    private mutating func locks(of database: DatabaseHandle) -> DatabaseLocks {
        if let locks = self.databases[database] { return locks }
        let locks = DatabaseLocks()
        self.databases[database] = locks
        return locks
    }

    mutating func changed(_ key: LockKey, _ entry: LockEntry) {
        if entry.isUnused {
            self.entries[key] = nil
            self.entries.letRoomGo()
        } else if !entry.queue.isEmpty, !entry.isToBeLookedAt {
            entry.isToBeLookedAt = true
            self.changedKeys.append(key)
        }
    }

    mutating func changed(_ database: DatabaseHandle, _ locks: DatabaseLocks, from priority: LockPriority) {
        if locks.isUnused {
            self.databases[database] = nil
            self.databases.letRoomGo()
        } else if locks.hasWaiting, locks.lookAgain(from: priority) {
            self.changedDatabases.append(database)
        }
    }
}
