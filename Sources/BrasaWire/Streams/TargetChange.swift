internal import BrasaDocuments
internal import BrasaMessages
internal import CBrasaFirestoreV1

extension TargetChange {
    /// A kind that is not known reads as no change, which is what a client can make of it.
    init(_ envelope: TargetChangeEnvelope) throws(DocumentError) {
        self.init(
            Kind(rawValue: envelope.target_change_type) ?? .noChange,
            repeated(envelope.n_target_ids, envelope.target_ids),
            cause: envelope.cause.map { Status($0.pointee) },
            resumeToken: envelope.resume_token.array,
            readTime: try envelope.read_time?.pointee.timestamp()
        )
    }
}

extension TargetChange: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, int32: self.kind.rawValue)
        sink.write(2, packed: self.targetIDs)
        sink.write(3, self.cause.map(StatusMessage.init))
        sink.write(4, bytes: self.resumeToken)
        sink.write(6, self.readTime)
    }
}

extension ExistenceFilter {
    init(_ envelope: ExistenceFilterEnvelope) {
        self.init(
            targetID: envelope.target_id,
            count: envelope.count,
            unchangedNames: envelope.unchanged_names.map { BloomFilterMessage($0.pointee) }
        )
    }
}

extension ExistenceFilter: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, int32: self.targetID)
        sink.write(2, int32: self.count)
        sink.write(3, self.unchangedNames)
    }
}

extension BloomFilterMessage {
    init(_ envelope: BloomFilterEnvelope) {
        let bits = envelope.bits?.pointee
        self.init(bitmap: bits?.bitmap.array ?? [], padding: bits?.padding ?? 0, hashCount: envelope.hash_count)
    }
}

extension BloomFilterMessage: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, BitSequenceMessage(bitmap: self.bitmap, padding: self.padding))
        sink.write(2, int32: self.hashCount)
    }
}

private struct BitSequenceMessage: WireMessage {
    let bitmap: [UInt8]
    let padding: Int32

    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.bitmap)
        sink.write(2, int32: self.padding)
    }
}
