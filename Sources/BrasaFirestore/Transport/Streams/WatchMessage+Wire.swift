internal import BrasaDocuments
internal import BrasaGRPC
internal import BrasaMessages
internal import BrasaQueries
internal import BrasaSync
internal import BrasaWire

extension ListenRequest {
    init(_ request: WatchRequest, in database: DatabaseName) {
        switch request {
        case .remove(let id): self.init(database: database, change: .remove(id))
        case .add(let asked):
            let target = ListenTarget(
                id: asked.id,
                Self.subject(of: asked.target, in: database),
                resume: asked.resumption.map(Self.resumePoint),
                expectedCount: asked.expectedCount
            )
            self.init(database: database, change: .add(target), listenTag: asked.purpose.listenTag)
        }
    }

    private static func subject(of target: SyncTarget, in database: DatabaseName) -> ListenTarget.Subject {
        switch target {
        case .document(let path):
            DocumentName(database: database, path: path).map { .documents([$0]) } ?? .unknown
        case .query(let query, let parent):
            ParentName(database: database, path: parent).map { .query($0, query) } ?? .unknown
        // Never sent.
        case .bundle: .unknown
        }
    }

    private static func resumePoint(_ resumption: WatchRequest.Resumption) -> ListenTarget.ResumePoint {
        switch resumption {
        case .token(let token): .token(token)
        case .readTime(let time): .readTime(ReadTime(time))
        }
    }
}

extension TargetData.Purpose {
    /// The label that tells the server why the target is asked for.
    fileprivate var listenTag: UTF8Text? {
        switch self {
        case .listen: nil
        case .existenceFilterMismatch: "existence-filter-mismatch"
        case .existenceFilterMismatchBloom: "existence-filter-mismatch-bloom"
        case .limboResolution: "limbo-document"
        }
    }
}

extension WatchMessage {
    /// Nil for what a later server may say.
    init?(_ response: ListenResponse, in database: DatabaseName) throws(WireError) {
        switch response {
        case .targetChange(let change): self = .target(TargetMessage(change))
        case .documentChange(let change):
            // A server that sends a document without its times has sent nothing.
            guard let document = change.document.document else { return nil }
            let name = change.document.name
            try Self.check(name, in: database)
            self = .document(
                .found(name.path, document.fields, version: document.updateTime, createTime: document.createTime),
                targets: change.targetIDs,
                removed: change.removedTargetIDs
            )
        case .documentDelete(let delete):
            try Self.check(delete.name, in: database)
            let version = delete.readTime ?? BrasaDocuments.Timestamp(microseconds: 0)
            self = .delete(delete.name.path, version: version, removed: delete.removedTargetIDs)
        case .documentRemove(let remove):
            try Self.check(remove.name, in: database)
            self = .remove(remove.name.path, removed: remove.removedTargetIDs)
        case .filter(let filter):
            self = .filter(
                target: filter.targetID,
                count: filter.count,
                bloomFilter: filter.unchangedNames.map {
                    UncheckedBloomFilter(bitmap: $0.bitmap, padding: $0.padding, hashCount: $0.hashCount)
                }
            )
        case .unknown: return nil
        }
    }

    private static func check(_ name: DocumentName, in database: DatabaseName) throws(WireError) {
        guard name.database != database else { return }
        throw .document(
            DocumentError(.otherDatabase(requested: database.string, accessed: name.database.string))
        )
    }
}

extension WatchMessage.TargetMessage {
    init(_ change: TargetChange) {
        let kind: Kind =
            switch change.kind {
            case .noChange: .noChange
            case .add: .add
            case .remove: .remove
            case .current: .current
            case .reset: .reset
            }
        self.init(
            kind,
            targets: change.targetIDs,
            cause: change.cause.flatMap { $0.isOK ? nil : SyncError($0) },
            resumeToken: change.resumeToken,
            readTime: change.readTime
        )
    }
}
