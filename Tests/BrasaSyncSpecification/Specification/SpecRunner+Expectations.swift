import BrasaDocuments
import BrasaStatus

@testable import BrasaSync

extension SpecRunner {
    func check(_ step: JSON) throws {
        try self.checkEvents(step["expectedSnapshotEvents"]?.array ?? [])
        try Self.check("events in sync", self.syncEvents, step["expectedSnapshotsInSyncEvents"]?.integer)
        try Self.check(
            "events of pending writes",
            self.pendingWritesEvents,
            step["expectedWaitForPendingWritesEvents"]?.integer
        )
        try self.checkState(step["expectedState"])
        self.events = []
        self.acknowledged = []
        self.rejected = []
        self.syncEvents = 0
        self.pendingWritesEvents = 0
    }

    private static func check(_ what: String, _ actual: Int, _ wanted: Int64?) throws {
        guard Int64(actual) == wanted ?? 0 else { throw SpecFailure("\(what): \(actual) instead of \(wanted ?? 0)") }
    }

    // MARK: - Events

    private func checkEvents(_ expected: [JSON]) throws {
        var rest = self.events
        for json in expected {
            guard let query = try json["query"].map(SpecModel.query) else { throw SpecFailure("no query") }
            guard let index = rest.firstIndex(where: { $0.query == query }) else {
                throw SpecFailure("no event of \(json["query"] ?? .null), but \(self.events.map(Self.summary))")
            }
            try Self.check(rest.remove(at: index).event, json)
        }
        guard rest.isEmpty else { throw SpecFailure("also events: \(rest.map(Self.summary))") }
    }

    private static func summary(_ event: (query: SyncQuery, event: Result<ViewSnapshot, SyncError>)) -> String {
        switch event.event {
        case .failure(let error): "\(event.query.target): \(error)"
        case .success(let snapshot):
            "\(event.query.target): \(snapshot.changes.map(Self.summary)) fromCache \(snapshot.isFromCache)"
                + " pending \(snapshot.hasPendingWrites)"
        }
    }

    private static func summary(_ change: DocumentChange) -> String {
        let document = change.document
        return "\(change.kind) \(document.path) v\(document.version.microseconds) \(document.state) "
            + "\(document.fields.decoded.map { "\($0.key): \($0.value)" })"
    }

    private static func check(_ event: Result<ViewSnapshot, SyncError>, _ expected: JSON) throws {
        let code = expected["errorCode"]?.integer ?? 0
        switch event {
        case .failure(let error):
            guard Int64(error.code.rawValue) == code else { throw SpecFailure("\(error) instead of \(code)") }
        case .success(let snapshot):
            guard code == 0 else { throw SpecFailure("a snapshot instead of error \(code)") }
            var wanted: Set<String> = []
            for (name, kind) in [
                ("added", DocumentChange.Kind.added), ("modified", .modified), ("removed", .removed),
                ("metadata", .metadata),
            ] {
                for document in expected[name]?.array ?? [] {
                    let document = try SpecModel.document(document, withState: true)
                    wanted.insert(Self.summary(DocumentChange(kind, document)))
                }
            }
            let actual = Set(snapshot.changes.map(Self.summary))
            guard actual == wanted else {
                throw SpecFailure("changes \(actual.sorted()) instead of \(wanted.sorted())")
            }
            guard snapshot.isFromCache == expected["fromCache"]?.boolean else {
                throw SpecFailure("fromCache is \(snapshot.isFromCache)")
            }
            guard snapshot.hasPendingWrites == expected["hasPendingWrites"]?.boolean else {
                throw SpecFailure("hasPendingWrites is \(snapshot.hasPendingWrites)")
            }
        }
    }

    // MARK: - State

    private func checkState(_ expected: JSON?) throws {
        let callbacks = expected?["userCallbacks"]
        try Self.check("acknowledged", self.acknowledged, callbacks?["acknowledgedDocs"]?.strings ?? [])
        try Self.check("rejected", self.rejected, callbacks?["rejectedDocs"]?.strings ?? [])
        if let count = expected?["numOutstandingWrites"]?.integer {
            try Self.check("outstanding writes", self.client.engine.remote.pipeline.count, count)
        }
        if let count = expected?["writeStreamRequestCount"]?.integer {
            try Self.check("write requests", self.transport.writeRequests, count)
        }
        if let count = expected?["watchStreamRequestCount"]?.integer {
            try Self.check("watch requests", self.transport.watchRequests, count)
        }
        if let targets = expected?["activeTargets"] { self.expectedTargets = targets.object }
        if let limbo = expected?["activeLimboDocs"] { self.expectedActiveLimbo = limbo.strings }
        if let limbo = expected?["enqueuedLimboDocs"] { self.expectedWaitingLimbo = limbo.strings }
        let limbo = self.client.engine.limbo
        try Self.check("limbo", limbo.targets.keys.map(\.string), self.expectedActiveLimbo)
        try Self.check("waiting limbo", limbo.waiting.map(\.string), self.expectedWaitingLimbo)
        try self.checkTargets()
    }

    private static func check(_ what: String, _ actual: [String], _ wanted: [String]) throws {
        guard actual.sorted() == wanted.sorted() else { throw SpecFailure("\(what): \(actual) instead of \(wanted)") }
    }

    private func checkTargets() throws {
        var active: [String: WatchRequest.AddTarget] = [:]
        for target in (self.transport.watch?.active ?? [:]).values {
            active[self.targetIDs[target.id].map(String.init) ?? "wire \(target.id)"] = target
        }
        guard self.isNetworkEnabled else {
            guard active.isEmpty else { throw SpecFailure("targets \(active.keys) without network") }
            return
        }
        guard Set(active.keys) == Set(self.expectedTargets.keys) else {
            throw SpecFailure("targets \(active.keys.sorted()) instead of \(self.expectedTargets.keys.sorted())")
        }
        // Without a stream, which a failing storage takes away, nothing is asked.
        guard self.transport.watch != nil else { return }
        for limbo in self.client.engine.limbo.active.keys where active[String(limbo)] == nil {
            throw SpecFailure("limbo target \(limbo) is not active")
        }
        for (id, expected) in self.expectedTargets {
            guard let request = active[id] else { continue }
            try Self.check(request, expected)
        }
    }

    private static func check(_ request: WatchRequest.AddTarget, _ expected: JSON) throws {
        guard let query = expected["queries"]?.array.first else { throw SpecFailure("no query is expected") }
        let target = try SpecModel.query(query).target
        guard request.target == target else { throw SpecFailure("\(request.target) instead of \(target)") }
        let purposes: [String: TargetData.Purpose] = [
            "TargetPurposeListen": .listen, "TargetPurposeExistenceFilterMismatch": .existenceFilterMismatch,
            "TargetPurposeExistenceFilterMismatchBloom": .existenceFilterMismatchBloom,
            "TargetPurposeLimboResolution": .limboResolution,
        ]
        let purpose = expected["targetPurpose"]?.string ?? "TargetPurposeListen"
        guard purposes[purpose] == request.purpose else { throw SpecFailure("\(request.purpose), not \(purpose)") }
        let token = Array((expected["resumeToken"]?.string ?? "").utf8)
        var resumption: WatchRequest.Resumption?
        if !token.isEmpty {
            resumption = .token(token)
        } else if let readTime = expected["readTime"] {
            resumption = .readTime(SpecModel.version(readTime))
        }
        guard request.resumption == resumption else {
            throw SpecFailure(
                "resumed by \(String(describing: request.resumption)), not \(String(describing: resumption))"
            )
        }
    }
}
