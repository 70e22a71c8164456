package import BrasaTree
package import BrasaTreeRules

/// One database: its tree, its rules, who listens, and what is to be written when sessions end. A machine without I/O,
/// clock or lock: whoever drives it puts its commits on a log, and publishes them when they are durable.
///
/// Writes see the newest tree. Readers and listeners see the published one, which is behind by the commits that are on
/// their way to the disk.
package struct TreeDatabase: Sendable {
    private let limits: TreeDatabaseLimits
    package var rules: TreeRules
    private var newest: TreeNode
    private var newestVersion: Int64 = 0
    package private(set) var published: TreeNode
    package private(set) var publishedVersion: Int64 = 0
    /// Not yet published, in order.
    private var pending: [TreeCommit] = []
    private var listeners = ListenerTree()
    private var queues: [TreeSessionID: DisconnectQueue] = [:]

    package init(
        _ root: TreeNode = .absent,
        rules: TreeRules,
        limits: TreeDatabaseLimits = TreeDatabaseLimits()
    ) {
        (self.newest, self.published, self.rules, self.limits) = (root, root, rules, limits)
    }

    /// Carries a write out, if it is allowed. With a hash, only if the node at its path still has it.
    /// Complexity: O(depth · log n) for each place, and what the rules take.
    package mutating func write(
        _ write: TreeWrite,
        expecting hash: String? = nil,
        by caller: TreeCaller,
        milliseconds: Int64
    ) -> TreeOutcome {
        if let hash, !self.newest[write.path].agrees(with: hash) {
            // Who may not read is not told what is there by being asked to try again.
            let mayRead = self.mayRead(write.path, nil, in: self.newest, by: caller, milliseconds)
            return self.refused(mayRead ? .stale : .permissionDenied)
        }
        let change: TreeChange
        do throws(TreeError) {
            change = try write.resolved(in: self.newest, milliseconds: milliseconds)
        } catch {
            return self.refused(.invalid(error))
        }
        let after = change.applied(to: self.newest)
        guard self.mayWrite(change, to: after, by: caller, milliseconds) else {
            return self.refused(.permissionDenied)
        }
        return self.commit(change, to: after, milliseconds)
    }

    /// Whether there is nothing in it, nor ever was, and nobody listens: it need not be kept.
    var isBlank: Bool {
        self.newestVersion == 0 && self.newest.isAbsent && self.listeners.count == 0 && self.queues.isEmpty
    }

    /// A commit that was durable before, when the database is made again.
    package mutating func recover(_ change: TreeChange) {
        self.newest = change.applied(to: self.newest)
        self.newestVersion += 1
        (self.published, self.publishedVersion) = (self.newest, self.newestVersion)
    }

    private func refused(_ refusal: TreeRefusal) -> TreeOutcome {
        TreeOutcome(result: .failure(refusal), version: self.newestVersion)
    }

    private mutating func commit(_ change: TreeChange, to after: TreeNode, _ milliseconds: Int64) -> TreeOutcome {
        guard !after.isSame(as: self.newest) else {
            return TreeOutcome(result: .success(nil), version: self.newestVersion)
        }
        self.newestVersion += 1
        let commit = TreeCommit(
            version: self.newestVersion,
            milliseconds: milliseconds,
            change: change,
            before: self.newest,
            after: after
        )
        self.newest = after
        self.pending.append(commit)
        return TreeOutcome(result: .success(commit), version: commit.version)
    }

    /// Lets readers see the commits up to one, and says what listeners are to be told: commit by commit, once for all
    /// listeners of a target.
    package mutating func publish(through version: Int64) -> [TreeNotice] {
        let durable = self.pending.prefix { $0.version <= version }
        self.pending.removeFirst(durable.count)
        var notices: [TreeNotice] = []
        for commit in durable {
            (self.published, self.publishedVersion) = (commit.after, commit.version)
            notices += self.listeners.notices(of: commit)
        }
        return notices
    }

    private func mayWrite(
        _ change: TreeChange,
        to after: TreeNode,
        by caller: TreeCaller,
        _ milliseconds: Int64
    ) -> Bool {
        guard case .client(let auth) = caller else { return true }
        let request = TreeRuleRequest(auth: auth, milliseconds: milliseconds)
        return self.rules.write(change, from: self.newest, to: after, request).isAllowed
    }

    private func mayRead(
        _ path: TreePath,
        _ query: TreeQuery?,
        in root: TreeNode,
        by caller: TreeCaller,
        _ milliseconds: Int64
    ) -> Bool {
        guard case .client(let auth) = caller else { return true }
        return self.rules.read(path, query, in: root, .init(auth: auth, milliseconds: milliseconds)).isAllowed
    }
}

extension TreeDatabase {
    /// Whether a listener may go on: to be asked again when its caller or the rules have changed.
    package func mayRead(_ target: TreeTarget, by caller: TreeCaller, milliseconds: Int64) -> Bool {
        self.mayRead(target.path, target.query, in: self.published, by: caller, milliseconds)
    }

    /// What is there, published.
    package func read(
        _ target: TreeTarget,
        by caller: TreeCaller,
        milliseconds: Int64
    ) throws(TreeRefusal) -> TreeNode {
        guard self.mayRead(target, by: caller, milliseconds: milliseconds) else { throw .permissionDenied }
        let node = self.published[target.path]
        guard let query = target.query else { return node }
        guard self.rules.isIndexed(query.order, at: target.path) else { throw .notIndexed(query.order, target.path) }
        return query.filter(node)
    }

    /// Begins to tell a listener of a target's changes, from what is published now on.
    package mutating func listen(
        _ listener: TreeListenerID,
        to target: TreeTarget,
        holding hash: String = "",
        _ compound: CompoundHash? = nil,
        by caller: TreeCaller,
        milliseconds: Int64
    ) throws(TreeRefusal) -> TreeListenStart {
        guard self.mayRead(target, by: caller, milliseconds: milliseconds) else { throw .permissionDenied }
        guard self.listeners.count < self.limits.listenersMax else {
            throw .tooManyListeners(listenersMax: self.limits.listenersMax)
        }
        let node = self.listeners.add(listener, to: target, self.published)
        let isIndexed = target.query.map { self.rules.isIndexed($0.order, at: target.path) } ?? true
        var content = TreeListenStart.Content.whole(node)
        if node.agrees(with: hash) {
            content = .same
        } else if target.query == nil, let merges = compound?.merges(to: node) {
            content = .merges(merges)
        }
        return TreeListenStart(content: content, isIndexed: isIndexed)
    }

    package mutating func unlisten(_ listener: TreeListenerID, to target: TreeTarget) {
        self.listeners.remove(listener, from: target)
    }

    package var listenerCount: Int { self.listeners.count }
}

extension TreeDatabase {
    /// Keeps a write for the end of a session, if it would be allowed now.
    package mutating func writeOnDisconnect(
        of session: TreeSessionID,
        _ write: TreeWrite,
        by caller: TreeCaller,
        milliseconds: Int64
    ) throws(TreeRefusal) {
        let change = try self.resolved(write, milliseconds)
        guard self.mayWrite(change, to: change.applied(to: self.newest), by: caller, milliseconds) else {
            throw .permissionDenied
        }
        var queue = self.queues[session] ?? DisconnectQueue()
        queue.add(write)
        guard queue.count <= self.limits.disconnectPlacementsMax, queue.bytes <= self.limits.disconnectBytesMax else {
            throw .tooManyDisconnectWrites
        }
        self.queues[session] = queue
    }

    private func resolved(_ write: TreeWrite, _ milliseconds: Int64) throws(TreeRefusal) -> TreeChange {
        do throws(TreeError) {
            return try write.resolved(in: self.newest, milliseconds: milliseconds)
        } catch {
            // A priority may be of a node that will be there at the end.
            guard case .priorityOfAbsentNode = error.reason else { throw .invalid(error) }
            return TreeChange(path: write.path, isUpdate: write.isUpdate, placements: [])
        }
    }

    /// Forgets what a session has at a place and beneath.
    package mutating func cancelOnDisconnect(of session: TreeSessionID, at path: TreePath) {
        self.queues[session]?.cancel(at: TreeLocation(path))
    }

    package func hasDisconnectWrites(of session: TreeSessionID) -> Bool {
        !(self.queues[session]?.writes.isEmpty ?? true)
    }

    /// A session has ended: what it left is written, in its order, as one change. What is not allowed any more is left out.
    package mutating func end(_ session: TreeSessionID, by caller: TreeCaller, milliseconds: Int64) -> TreeOutcome {
        guard let queue = self.queues.removeValue(forKey: session) else {
            return TreeOutcome(result: .success(nil), version: self.newestVersion)
        }
        let before = self.newest
        var placements: [TreeChange.Placement] = []
        // Each sees what those before it did.
        for write in queue.writes {
            guard let change = try? write.resolved(in: self.newest, milliseconds: milliseconds) else { continue }
            let after = change.applied(to: self.newest)
            guard self.mayWrite(change, to: after, by: caller, milliseconds) else { continue }
            placements += change.placements
            self.newest = after
        }
        self.newest = before
        let change = TreeChange(path: .root, isUpdate: true, placements: placements)
        return self.commit(change, to: change.applied(to: before), milliseconds)
    }
}
