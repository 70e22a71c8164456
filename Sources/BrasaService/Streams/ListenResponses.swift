import BrasaDocuments
import BrasaMessages
import BrasaStore
import BrasaWatch

/// The responses that many streams are sent alike, each made once: it stays with the watcher's event for as long as that
/// goes around, and with it what the doors have made of it.
struct ListenResponses {
    /// The bytes of a larger document are shared by all responses about it; a smaller one is copied into each.
    private static let copiedBytesMax = 4 << 10

    let database: DatabaseName

    func changed(
        _ changed: WatchedDocument,
        _ targets: [Int32],
        _ removed: [Int32]
    ) -> SharedResponse<ListenResponse> {
        let sent = SentResponses.of(&changed.attachment)
        return sent.response(targets, removed) {
            let document = NamedDocument(name: self.name(changed.path), document: changed.document)
            let isLarge = changed.document.fields.bytes.count > Self.copiedBytesMax
            return SharedResponse(
                .documentChange(.init(document, targetIDs: targets, removedTargetIDs: removed)),
                part: isLarge ? sent.document : nil
            )
        }
    }

    /// That a document is no longer in the targets, without what has become of it.
    func left(_ changed: WatchedDocument, _ removed: [Int32]) -> ListenResponse {
        .documentRemove(
            .init(self.name(changed.path), removedTargetIDs: removed, readTime: changed.document.updateTime)
        )
    }

    /// What `pair` has made for another stream.
    static func madePair(_ update: WatchUpdate) -> SharedPair<ListenResponse>? {
        update.attachment as? SharedPair<ListenResponse>
    }

    /// The response about a document, and the snapshot's.
    func pair(_ update: WatchUpdate) -> SharedPair<ListenResponse>? {
        let first: SharedResponse<ListenResponse>
        switch update.event {
        case .documentChanged(let document, let targets, let removed):
            first = self.changed(document, targets, removed)
        case .documentDeleted(let deletion, let removed):
            first = self.deleted(deletion, removed)
        default: return nil
        }
        let pair = SharedPair(first, self.snapshot(update.snapshot))
        update.attachment = pair
        return pair
    }

    func deleted(_ deletion: WatchedDeletion, _ removed: [Int32]) -> SharedResponse<ListenResponse> {
        SentResponses.of(&deletion.attachment).response([], removed) {
            SharedResponse(
                .documentDelete(
                    .init(self.name(deletion.path), removedTargetIDs: removed, readTime: deletion.time)
                )
            )
        }
    }

    func current(_ targets: [Int32], _ snapshot: WatchSnapshot) -> SharedResponse<ListenResponse> {
        SentResponses.of(&snapshot.attachment).response(targets, []) {
            SharedResponse(
                .targetChange(.init(.current, targets, resumeToken: snapshot.tokenBytes, readTime: snapshot.time))
            )
        }
    }

    /// A token of these targets. The time is left out: the stream is not told a state of all its targets.
    func resumable(_ targets: [Int32], _ snapshot: WatchSnapshot) -> ListenResponse {
        .targetChange(.init(.noChange, targets, resumeToken: snapshot.tokenBytes))
    }

    /// A change of no target in particular.
    func snapshot(_ snapshot: WatchSnapshot) -> SharedResponse<ListenResponse> {
        SentResponses.of(&snapshot.attachment).response([], []) {
            SharedResponse(
                .targetChange(.init(.noChange, resumeToken: snapshot.tokenBytes, readTime: snapshot.time))
            )
        }
    }

    private func name(_ path: ResourcePath) -> DocumentName {
        guard let name = DocumentName(database: self.database, path: path) else {
            preconditionFailure("the store holds documents only")
        }
        return name
    }
}

extension WatchSnapshot {
    fileprivate var tokenBytes: [UInt8] { self.token?.bytes ?? [] }
}

/// The responses about one event, by the targets that they name. Most streams have the same few ids.
private final class SentResponses {
    private static let responsesMax = 4

    /// The event's document, for responses that share its bytes.
    private(set) lazy var document = SharedPart()
    private var responses: [(targets: [Int32], removed: [Int32], response: SharedResponse<ListenResponse>)] = []
    private var oldest = 0

    static func of(_ attachment: inout AnyObject?) -> SentResponses {
        if let sent = attachment as? SentResponses { return sent }
        let sent = SentResponses()
        attachment = sent
        return sent
    }

    func response(
        _ targets: [Int32],
        _ removed: [Int32],
        _ make: () -> SharedResponse<ListenResponse>
    ) -> SharedResponse<ListenResponse> {
        for known in self.responses where known.targets == targets && known.removed == removed {
            return known.response
        }
        let response = make()
        if self.responses.count < Self.responsesMax {
            self.responses.append((targets, removed, response))
        } else {
            self.responses[self.oldest] = (targets, removed, response)
            self.oldest = (self.oldest + 1) % Self.responsesMax
        }
        return response
    }
}
