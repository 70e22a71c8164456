import BrasaDocuments
import Foundation

@testable import BrasaSync

extension SpecRunner {
    func perform(_ step: JSON) throws {
        for (name, value) in step.object where !name.hasPrefix("expected") {
            if try self.performUserStep(name, value) { continue }
            if try self.performWatchStep(name, value) { continue }
            if try self.performOtherStep(name, value) { continue }
            throw SpecFailure("unknown step \(name)")
        }
    }

    // MARK: - The user

    private func performUserStep(_ name: String, _ value: JSON) throws -> Bool {
        switch name {
        case "userListen": try self.listen(value)
        case "userUnlisten":
            let query = try SpecModel.query(value.array[1])
            if let token = self.listeners.removeValue(forKey: query) { self.client.unlisten(token) }
        case "userSet":
            let fields = value.array[1].fields
            self.write(try SpecModel.write(value.array[0].string, .set(fields)))
        case "userPatch":
            let operation = try SpecModel.patch(value.array[1])
            self.write(try SpecModel.write(value.array[0].string, operation, mustExist: true))
        case "userDelete": self.write(try SpecModel.write(value.string, .delete))
        case "addSnapshotsInSyncListener":
            self.syncListeners.append(
                self.client.addSnapshotsInSyncListener { [unowned self] in self.syncEvents += 1 }
            )
        case "removeSnapshotsInSyncListener":
            if let token = self.syncListeners.popLast() { self.client.removeSnapshotsInSyncListener(token) }
        case "loadBundle":
            self.client.loadBundle(Array((value.string ?? "").utf8)) { _ in }
        case "waitForPendingWrites":
            self.client.waitForPendingWrites { [unowned self] _ in self.pendingWritesEvents += 1 }
        default: return false
        }
        return true
    }

    private func listen(_ json: JSON) throws {
        guard let query = try json["query"].map(SpecModel.query) else { throw SpecFailure("no query") }
        let source: ListenOptions.Source = json["options"]?["source"]?.string == "cache" ? .cache : .default
        let options = ListenOptions(includeMetadataChanges: true, source: source)
        self.listeners[query] = self.client.listen(query, options: options) { [unowned self] event in
            self.events.append((query, event))
        }
        guard let wanted = json["targetId"]?.integer, wanted != 0 else { return }
        let actual = self.client.engine.targetID(of: query)
        guard actual == wanted else {
            throw SpecFailure("target \(actual.map(String.init) ?? "none") instead of \(wanted)")
        }
    }

    private func write(_ write: Write) {
        let key = write.name.path.string
        if !self.storage.failing.contains(.writeLocally) { self.writes.append(write) }
        self.client.write([write]) { [unowned self] error in
            if error == nil { self.acknowledged.append(key) } else { self.rejected.append(key) }
        }
    }

    // MARK: - The server

    private func performWatchStep(_ name: String, _ value: JSON) throws -> Bool {
        switch name {
        case "watchAck": self.sayTarget(.add, value.ids)
        case "watchCurrent":
            let token = Array((value.array[1].string ?? "").utf8)
            self.sayTarget(.current, value.array[0].ids, token: token)
        case "watchReset": self.sayTarget(.reset, value.ids)
        case "watchSnapshot":
            let ids = value["targetIds"]?.ids ?? []
            self.sayTarget(
                .noChange,
                ids,
                token: Array((value["resumeToken"]?.string ?? "").utf8),
                readTime: ids.isEmpty ? SpecModel.version(value["version"]) : nil
            )
        case "watchRemove": try self.removeTargets(value)
        case "watchEntity": try self.sayDocuments(value)
        case "watchFilter":
            let id = self.wireID(value["targetIds"]?.ids.first ?? 0)
            let count = Int32(value["keys"]?.array.count ?? 0)
            let filter = value["bloomFilter"].map(Self.bloomFilter)
            self.transport.say(.filter(target: id, count: count, bloomFilter: filter))
        case "watchStreamClose":
            self.holdsBackoff = value["runBackoffTimer"]?.boolean == false
            self.transport.breakWatch(SpecModel.error(value["error"]))
        default: return false
        }
        return true
    }

    private func sayTarget(
        _ kind: WatchMessage.TargetMessage.Kind,
        _ ids: [TargetID],
        token: [UInt8] = [],
        readTime: Timestamp? = nil,
        cause: SyncError? = nil
    ) {
        let message = WatchMessage.TargetMessage(
            kind,
            targets: ids.map(self.wireID),
            cause: cause,
            resumeToken: token,
            readTime: readTime
        )
        self.transport.say(.target(message))
    }

    private func removeTargets(_ json: JSON) throws {
        let ids = json["targetIds"]?.ids ?? []
        let remote = self.client.engine.remote
        guard let cause = SpecModel.error(json["cause"]) else {
            self.sayTarget(.remove, ids)
            for id in ids where remote.wireTargets.wireID(of: id) != self.wireID(id) {
                if self.wireIDs[id]?.isEmpty == false { self.wireIDs[id]?.removeFirst() }
            }
            return
        }
        let wireIDs = try ids.map { id in
            guard let wireID = remote.wireTargets.wireID(of: id),
                self.transport.watch?.active.removeValue(forKey: wireID) != nil
            else { throw SpecFailure("target \(id) is not active") }
            return wireID
        }
        for id in ids { self.wireIDs[id] = nil }
        self.transport.say(.target(WatchMessage.TargetMessage(.remove, targets: wireIDs, cause: cause)))
    }

    private func sayDocuments(_ json: JSON) throws {
        let targets = (json["targets"]?.ids ?? []).map(self.wireID)
        let removed = (json["removedTargets"]?.ids ?? []).map(self.wireID)
        if let key = json["key"]?.string {
            self.transport.say(.remove(try SpecModel.path(key), removed: removed))
            return
        }
        for document in json["docs"]?.array ?? json["doc"].map({ [$0] }) ?? [] {
            let document = try SpecModel.document(document, withState: false)
            self.transport.say(.document(document, targets: targets, removed: removed))
        }
    }

    private static func bloomFilter(_ json: JSON) -> WatchMessage.UncheckedBloomFilter {
        let text = json["bits"]?["bitmap"]?.string ?? ""
        return WatchMessage.UncheckedBloomFilter(
            bitmap: Data(base64Encoded: text).map { Array($0) },
            padding: Int32(json["bits"]?["padding"]?.integer ?? 0),
            hashCount: Int32(json["hashCount"]?.integer ?? 0)
        )
    }

    // MARK: - Everything else

    private func performOtherStep(_ name: String, _ value: JSON) throws -> Bool {
        switch name {
        case "writeAck":
            let version = SpecModel.version(value["version"])
            try self.takeWrite(keeps: value["keepInQueue"]?.boolean == true)
            let result = WriteResult(updateTime: version, transformResults: [])
            self.transport.answer(WriteMessage(streamToken: [2], commitTime: version, results: [result]))
        case "failWrite":
            try self.takeWrite(keeps: value["keepInQueue"]?.boolean == true)
            self.transport.breakWrites(SpecModel.error(value["error"]))
        case "runTimer": try self.runTimer(value.string ?? "")
        case "drainQueue": break
        case "enableNetwork":
            self.isNetworkEnabled = value.boolean == true
            if self.isNetworkEnabled {
                self.client.enableNetwork {}
            } else {
                self.client.engine.remote.fillPipeline()
                self.settle()
                self.client.disableNetwork {}
            }
        case "changeUser":
            self.user = SyncUser(uid: value.string)
            self.client.setUser(self.user)
        case "restart": try self.restart()
        case "triggerLruGC":
            let limits = CollectionLimits(bytesMax: Int(value.integer ?? 0), percent: 100)
            try self.client.engine.local.collectGarbage(limits)
        case "failDatabase":
            // Those of other storages are none of ours.
            self.storage.failing = Set(value.strings.compactMap(StorageOperation.init(rawValue:)))
        default: return false
        }
        return true
    }

    /// The oldest write of the user must be the oldest on the stream.
    private func takeWrite(keeps: Bool) throws {
        guard let wanted = self.writes.first, let sent = self.transport.writes?.pending.first?.first else {
            throw SpecFailure("nothing was written")
        }
        guard wanted.isSame(as: sent) else { throw SpecFailure("\(sent) was sent instead of \(wanted)") }
        if !keeps { self.writes.removeFirst() }
    }

    private func runTimer(_ name: String) throws {
        let timers: [String: SyncTimer] = [
            "listen_stream_idle": .watchStreamIdle, "listen_stream_connection_backoff": .watchStreamBackoff,
            "write_stream_idle": .writeStreamIdle, "write_stream_connection_backoff": .writeStreamBackoff,
            "health_check_timeout": .watchStreamHealth, "online_state_timeout": .onlineState,
            "lru_garbage_collection": .garbageCollection, "async_queue_retry": .storageRetry,
            "index_backfill": .indexBackfill,
        ]
        guard name == "all" || timers[name] != nil else { throw SpecFailure("unknown timer \(name)") }
        self.settle()
        self.scheduler.fire(through: timers[name])
    }
}

extension Write {
    /// As far as the cases' writes go.
    fileprivate func isSame(as other: Write) -> Bool {
        guard self.name == other.name, self.precondition == other.precondition else { return false }
        switch (self.operation, other.operation) {
        case (.set(let left), .set(let right)): return left == right
        case (.merge(let left, let mask), .merge(let right, let other)): return left == right && mask == other
        case (.delete, .delete), (.verify, .verify): return true
        default: return false
        }
    }
}
