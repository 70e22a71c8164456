import BrasaDocuments
import BrasaGRPC
import BrasaStore
import BrasaWatch
import BrasaWire

/// The responses that many streams are sent alike, each made once: it stays with the watcher's event for as long as that
/// goes around.
struct ListenResponses {
    /// A larger document's bytes are shared by all messages about it; a smaller one is copied into each.
    private static let copiedBytesMax = 4 << 10

    let database: DatabaseName

    func changed(_ changed: WatchedDocument, _ targets: [Int32], _ removed: [Int32]) -> GRPCFramedMessage {
        let forms = SentForms.of(&changed.attachment)
        return forms.message(targets, removed) {
            let document = forms.document ?? self.encoded(changed)
            forms.document = document
            guard document.byteCount > Self.copiedBytesMax else {
                return GRPCFramedMessage(capacity: document.byteCount + 32) {
                    ListenResponse.encodeChange(document, targetIDs: targets, removedTargetIDs: removed, into: &$0)
                }
            }
            return GRPCFramedMessage(around: document.bytes) {
                ListenResponse.encodeStartOfChange(
                    document,
                    targetIDs: targets,
                    removedTargetIDs: removed,
                    into: &$0
                )
            } after: {
                ListenResponse.encodeEndOfChange(targetIDs: targets, removedTargetIDs: removed, into: &$0)
            }
        }
    }

    /// The same and the snapshot's message, in one piece.
    func changed(
        _ changed: WatchedDocument,
        _ targets: [Int32],
        _ removed: [Int32],
        upTo snapshot: WatchSnapshot
    ) -> GRPCFramedMessages {
        SentForms.of(&snapshot.attachment).joined(changed, targets, removed) {
            GRPCFramedMessages(self.changed(changed, targets, removed), self.snapshot(snapshot))
        }
    }

    func deleted(_ deletion: WatchedDeletion, _ removed: [Int32]) -> GRPCFramedMessage {
        SentForms.of(&deletion.attachment).message([], removed) {
            self.message(
                .documentDelete(
                    .init(self.name(deletion.path), removedTargetIDs: removed, readTime: deletion.time)
                )
            )
        }
    }

    func current(_ targets: [Int32], _ snapshot: WatchSnapshot) -> GRPCFramedMessage {
        SentForms.of(&snapshot.attachment).message(targets, []) {
            self.message(
                .targetChange(.init(.current, targets, resumeToken: snapshot.tokenBytes, readTime: snapshot.time))
            )
        }
    }

    /// A token of these targets. The time is left out: the stream is not told a state of all its targets.
    func resumable(_ targets: [Int32], _ snapshot: WatchSnapshot) -> GRPCFramedMessage {
        self.message(.targetChange(.init(.noChange, targets, resumeToken: snapshot.tokenBytes)))
    }

    /// A change of no target in particular.
    func snapshot(_ snapshot: WatchSnapshot) -> GRPCFramedMessage {
        SentForms.of(&snapshot.attachment).message([], []) {
            self.message(.targetChange(.init(.noChange, resumeToken: snapshot.tokenBytes, readTime: snapshot.time)))
        }
    }

    private func message(_ response: ListenResponse) -> GRPCFramedMessage {
        GRPCFramedMessage { response.encode(into: &$0) }
    }

    private func encoded(_ changed: WatchedDocument) -> EncodedDocument {
        EncodedDocument(NamedDocument(name: self.name(changed.path), document: changed.document))
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

/// The messages about one event, by the targets that they name. Most streams have the same few ids.
private final class SentForms {
    private static let messagesMax = 4

    var document: EncodedDocument?
    private var messages: [(targets: [Int32], removed: [Int32], message: GRPCFramedMessage)] = []
    private var oldest = 0
    /// Of a snapshot: the last document that was sent together with it.
    private var joined: (document: WatchedDocument, targets: [Int32], removed: [Int32], messages: GRPCFramedMessages)?

    static func of(_ attachment: inout AnyObject?) -> SentForms {
        if let forms = attachment as? SentForms { return forms }
        let forms = SentForms()
        attachment = forms
        return forms
    }

    func joined(
        _ document: WatchedDocument,
        _ targets: [Int32],
        _ removed: [Int32],
        _ make: () -> GRPCFramedMessages
    ) -> GRPCFramedMessages {
        if let joined, joined.document === document, joined.targets == targets, joined.removed == removed {
            return joined.messages
        }
        let messages = make()
        self.joined = (document, targets, removed, messages)
        return messages
    }

    func message(
        _ targets: [Int32],
        _ removed: [Int32],
        _ make: () -> GRPCFramedMessage
    ) -> GRPCFramedMessage {
        for known in self.messages where known.targets == targets && known.removed == removed { return known.message }
        let message = make()
        if self.messages.count < Self.messagesMax {
            self.messages.append((targets, removed, message))
        } else {
            self.messages[self.oldest] = (targets, removed, message)
            self.oldest = (self.oldest + 1) % Self.messagesMax
        }
        return message
    }
}
