package import BrasaDocuments
package import BrasaMessages
package import BrasaQueries
internal import CBrasaFirestoreV1
internal import NIOCore

/// Messages as bytes that are kept on a disk. What was read back is checked like what came from a network, so
/// bytes of a damaged file are refused, not believed.
package enum StoredMessages {
    /// A CommitRequest with nothing but the writes.
    package static func bytes(of writes: [Write], in database: DatabaseName) -> [UInt8] {
        var buffer = ByteBuffer()
        CommitRequest(database: database, writes: writes).encode(into: &buffer)
        return Array(buffer.readableBytesView)
    }

    package static func writes(in bytes: [UInt8]) throws(WireError) -> [Write] {
        try CommitRequest(decoding: ByteBuffer(bytes: bytes)).writes
    }

    /// A WriteResponse.
    package static func bytes(of answer: WriteResponse) -> [UInt8] {
        var buffer = ByteBuffer()
        answer.encode(into: &buffer)
        return Array(buffer.readableBytesView)
    }

    package static func answer(in bytes: [UInt8]) throws(WireError) -> WriteResponse {
        try WriteResponse(decoding: ByteBuffer(bytes: bytes))
    }

    /// A DocumentMask.
    package static func bytes(of mask: [FieldPath]) -> [UInt8] {
        var buffer = ByteBuffer()
        MaskMessage(mask).write(into: &buffer)
        return Array(buffer.readableBytesView)
    }

    package static func mask(in bytes: [UInt8]) throws(WireError) -> [FieldPath] {
        try EnvelopeDecoder.decode(ByteBuffer(bytes: bytes)) { (envelope: DocumentMaskEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try envelope.fieldPaths() }
        }
    }

    /// A RunQueryRequest.
    package static func bytes(of query: StructuredQuery, below parent: ParentName) -> [UInt8] {
        var buffer = ByteBuffer()
        RunQueryRequest(parent: parent, query: query).encode(into: &buffer)
        return Array(buffer.readableBytesView)
    }

    /// Nil when there is no query in it.
    package static func query(in bytes: [UInt8]) throws(WireError) -> (query: StructuredQuery, parent: ParentName)? {
        let request = try RunQueryRequest(decoding: ByteBuffer(bytes: bytes))
        return request.query.map { ($0, request.parent) }
    }
}
