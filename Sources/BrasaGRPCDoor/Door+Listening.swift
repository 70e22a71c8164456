import BrasaGRPC
import BrasaMessages
import BrasaService
import BrasaWire
import NIOCore

extension Door where Transport == GRPCServerCall, Response == ListenResponse {
    /// The same, and what many listeners are told is framed once.
    static var grpcListening: Self {
        Self(
            send: { call, response in call.sendMessage(response) },
            sendShared: { call, shared in call.send(shared.framed) },
            sendPair: { call, pair in call.send(pair.framed) },
            respond: { call, response in call.respond(call.message(response)) },
            respondOutcome: { call, response in call.respond(outcome: call.message(response)) }
        )
    }
}

extension SharedResponse<ListenResponse> {
    var framed: GRPCFramedMessage {
        if let framed = self.encodings.first as? GRPCFramedMessage { return framed }
        return self.encodings.encoding {
            if let part, case .documentChange(let change) = self.response {
                GRPCFramedMessage(change, document: part.encodings.encoding { EncodedDocument(change.document) })
            } else {
                GRPCFramedMessage(capacity: self.response.byteCountEstimate) { self.response.encode(into: &$0) }
            }
        }
    }
}

extension SharedPair<ListenResponse> {
    fileprivate var framed: GRPCFramedMessages {
        if let framed = self.encodings.first as? GRPCFramedMessages { return framed }
        return self.encodings.encoding { GRPCFramedMessages(self.first.framed, self.second.framed) }
    }
}

extension GRPCFramedMessage {
    /// Around the bytes of a document that other messages are about as well.
    fileprivate convenience init(_ change: ListenResponse.DocumentChange, document: EncodedDocument) {
        self.init(around: document.bytes) {
            ListenResponse.encodeStartOfChange(
                document,
                targetIDs: change.targetIDs,
                removedTargetIDs: change.removedTargetIDs,
                into: &$0
            )
        } after: {
            ListenResponse.encodeEndOfChange(
                targetIDs: change.targetIDs,
                removedTargetIDs: change.removedTargetIDs,
                into: &$0
            )
        }
    }
}
