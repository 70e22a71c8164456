package import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension WriteResultMessage {
    package func transformResults() throws(WireError) -> [Value] {
        try WireError.wrapping { () throws(DocumentError) in
            var results: [Value] = []
            for result in self.encodedResults { results.append(try Value(decoding: result)) }
            return results
        }
    }

    init(_ envelope: WriteResultEnvelope) throws(DocumentError) {
        self.init(
            updateTime: try envelope.update_time?.pointee.timestamp(),
            encodedResults: repeated(envelope.n_transform_results, envelope.transform_results).map(\.array)
        )
    }

    static func decode(
        _ count: Int,
        _ envelopes: UnsafeMutablePointer<UnsafeMutablePointer<WriteResultEnvelope>?>?
    ) throws(DocumentError) -> [WriteResultMessage] {
        var results: [WriteResultMessage] = []
        results.reserveCapacity(count)
        for case let result? in repeated(count, envelopes) {
            results.append(try WriteResultMessage(result.pointee))
        }
        return results
    }
}

extension WriteResultMessage: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, self.updateTime)
        for result in self.encodedResults { sink.keep(2, bytes: result) }
    }
}

extension CommitResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: CommitResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                Self(
                    writeResults: try WriteResultMessage.decode(envelope.n_write_results, envelope.write_results),
                    commitTime: try envelope.commit_time?.pointee.timestamp()
                )
            }
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension CommitResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        for result in self.writeResults { sink.keep(1, result) }
        sink.write(2, self.commitTime)
    }
}
