package import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension ListenRequest {
    /// The first message of a stream, which must name its database.
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        try self.init(decoding: buffer, following: nil)
    }

    /// A later message of a stream: one that names another database is refused.
    package init(decoding buffer: ByteBuffer, in database: DatabaseName) throws(WireError) {
        try self.init(decoding: buffer, following: database)
    }

    private init(decoding buffer: ByteBuffer, following stream: DatabaseName?) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListenRequestEnvelope, decoder) throws(WireError) in
            let database = try WireError.wrapping { () throws(DocumentError) in
                try DatabaseName(envelope.database, following: stream)
            }
            var request = ListenRequest(database: database, change: nil)
            switch envelope.target_change_case {
            case BRASA__WIRE__LISTEN_REQUEST__TARGET_CHANGE_ADD_TARGET:
                guard let target = envelope.add_target?.pointee else { break }
                request.change = .add(ListenTarget(target, in: database, with: decoder))
            case BRASA__WIRE__LISTEN_REQUEST__TARGET_CHANGE_REMOVE_TARGET:
                request.change = .remove(envelope.remove_target)
            default: break
            }
            return request
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListenRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.database.bytes)
        switch self.change {
        case .add(let target): sink.keep(2, target)
        // Kept: its presence says which change it is.
        case .remove(let id): sink.keep(3, varint: UInt64(bitPattern: Int64(id)))
        case nil: break
        }
        sink.write(4, self.listenTag.map(ListenTagLabel.init))
    }
}

/// An entry of the map of labels.
private struct ListenTagLabel: WireMessage {
    let tag: UTF8Text

    func encode(to sink: inout WireSink) {
        sink.keep(1, bytes: Array("goog-listen-tags".utf8))
        sink.keep(2, bytes: self.tag.bytes)
    }
}
