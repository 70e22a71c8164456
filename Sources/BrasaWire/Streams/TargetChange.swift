package import BrasaDocuments
package import BrasaGRPC
internal import CBrasaFirestoreV1

/// What became of targets. One without ids is about all targets of the stream.
package struct TargetChange: Hashable, Sendable {
    package var kind: Kind
    package var targetIDs: [Int32]
    /// Why targets were removed that nobody asked to remove.
    package var cause: GRPCStatus?
    /// Empty for none.
    package var resumeToken: [UInt8]
    package var readTime: Timestamp?

    package enum Kind: Int32, Hashable, Sendable {
        case noChange = 0
        case add = 1
        case remove = 2
        case current = 3
        case reset = 4
    }

    package init(
        _ kind: Kind,
        _ targetIDs: [Int32] = [],
        cause: GRPCStatus? = nil,
        resumeToken: [UInt8] = [],
        readTime: Timestamp? = nil
    ) {
        self.kind = kind
        self.targetIDs = targetIDs
        self.cause = cause
        self.resumeToken = resumeToken
        self.readTime = readTime
    }

    /// A kind that is not known reads as no change, which is what a client can make of it.
    init(_ envelope: TargetChangeEnvelope) throws(DocumentError) {
        self.init(
            Kind(rawValue: envelope.target_change_type) ?? .noChange,
            repeated(envelope.n_target_ids, envelope.target_ids),
            cause: envelope.cause.map { GRPCStatus($0.pointee) },
            resumeToken: envelope.resume_token.array,
            readTime: try envelope.read_time?.pointee.timestamp()
        )
    }
}

extension TargetChange: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, int32: self.kind.rawValue)
        sink.write(2, packed: self.targetIDs)
        sink.write(3, self.cause.map(StatusMessage.init))
        sink.write(4, bytes: self.resumeToken)
        sink.write(6, self.readTime)
    }
}

/// How many documents match a target, and perhaps which.
package struct ExistenceFilter: Hashable, Sendable {
    package var targetID: Int32
    package var count: Int32
    /// Over the full names of the documents that match and did not change.
    package var unchangedNames: BloomFilterMessage?

    package init(targetID: Int32, count: Int32, unchangedNames: BloomFilterMessage? = nil) {
        self.targetID = targetID
        self.count = count
        self.unchangedNames = unchangedNames
    }

    init(_ envelope: ExistenceFilterEnvelope) {
        self.init(
            targetID: envelope.target_id,
            count: envelope.count,
            unchangedNames: envelope.unchanged_names.map { BloomFilterMessage($0.pointee) }
        )
    }
}

extension ExistenceFilter: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, int32: self.targetID)
        sink.write(2, int32: self.count)
        sink.write(3, self.unchangedNames)
    }
}

/// The bits of a bloom filter as they travel. Unchecked: what a client makes of them is its business.
package struct BloomFilterMessage: Hashable, Sendable {
    package var bitmap: [UInt8]
    /// Bits of the last byte that do not count.
    package var padding: Int32
    package var hashCount: Int32

    package init(bitmap: [UInt8], padding: Int32, hashCount: Int32) {
        self.bitmap = bitmap
        self.padding = padding
        self.hashCount = hashCount
    }

    init(_ envelope: BloomFilterEnvelope) {
        let bits = envelope.bits?.pointee
        self.init(bitmap: bits?.bitmap.array ?? [], padding: bits?.padding ?? 0, hashCount: envelope.hash_count)
    }
}

extension BloomFilterMessage: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, BitSequenceMessage(bitmap: self.bitmap, padding: self.padding))
        sink.write(2, int32: self.hashCount)
    }
}

private struct BitSequenceMessage: WireMessage {
    let bitmap: [UInt8]
    let padding: Int32

    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.bitmap)
        sink.write(2, int32: self.padding)
    }
}
