package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

/// A message without fields.
package struct ListIndexesRequest: Sendable {
    package init() {}

    /// Whatever it holds is ignored.
    package init(decoding buffer: ByteBuffer) {}

    package func encode(into buffer: inout ByteBuffer) {}
}

package struct ListIndexesResponse: Sendable {
    package var indexes: [IndexMessage]

    package init(indexes: [IndexMessage]) {
        self.indexes = indexes
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListIndexesResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListIndexesResponseEnvelope) throws(DocumentError) {
        self.indexes = []
        for case let index? in repeated(envelope.n_indexes, envelope.indexes) {
            self.indexes.append(try IndexMessage(index.pointee))
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListIndexesResponse: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        for index in self.indexes { sink.keep(1, index) }
    }
}

/// `brasa.admin.v1.Index`.
package struct IndexMessage: Hashable, Sendable {
    /// A number that is none of these reads as unspecified.
    package enum Scope: Int32, Hashable, Sendable {
        case unspecified = 0
        case collection = 1
        case collectionGroup = 2
    }

    package enum State: Int32, Hashable, Sendable {
        case unspecified = 0
        case building = 1
        case ready = 2
        case abandoned = 3
    }

    package var database: DatabaseName
    package var collectionID: UTF8Text
    package var scope: Scope
    package var properties: UTF8Text
    package var state: State
    package var entries: Int64
    package var bytes: Int64
    package var uses: Int64
    package var createTime: Timestamp?
    /// Nil when no query has used it yet.
    package var lastUseTime: Timestamp?

    package init(
        database: DatabaseName,
        collectionID: UTF8Text,
        scope: Scope,
        properties: UTF8Text,
        state: State,
        entries: Int64,
        bytes: Int64,
        uses: Int64,
        createTime: Timestamp?,
        lastUseTime: Timestamp?
    ) {
        self.database = database
        self.collectionID = collectionID
        self.scope = scope
        self.properties = properties
        self.state = state
        self.entries = entries
        self.bytes = bytes
        self.uses = uses
        self.createTime = createTime
        self.lastUseTime = lastUseTime
    }

    fileprivate init(_ envelope: IndexEnvelope) throws(DocumentError) {
        self.database = try DatabaseName(parsing: envelope.database.bytes)
        self.collectionID = try envelope.collection_id.text("collection_id")
        self.scope = Scope(rawValue: envelope.scope) ?? .unspecified
        self.properties = try envelope.properties.text("properties")
        self.state = State(rawValue: envelope.state) ?? .unspecified
        self.entries = envelope.entries
        self.bytes = envelope.bytes
        self.uses = envelope.uses
        self.createTime = try envelope.create_time?.pointee.timestamp()
        self.lastUseTime = try envelope.last_use_time?.pointee.timestamp()
    }
}

extension IndexMessage: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.database.bytes)
        sink.write(2, bytes: self.collectionID.bytes)
        sink.write(3, int32: self.scope.rawValue)
        sink.write(4, bytes: self.properties.bytes)
        sink.write(5, int32: self.state.rawValue)
        sink.write(6, varint: UInt64(bitPattern: self.entries))
        sink.write(7, varint: UInt64(bitPattern: self.bytes))
        sink.write(8, varint: UInt64(bitPattern: self.uses))
        sink.write(9, self.createTime)
        sink.write(10, self.lastUseTime)
    }
}
