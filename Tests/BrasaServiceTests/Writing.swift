import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaWire
import Testing

/// A Write stream of the client, and what came back on it.
final class Writing {
    let service: ServiceUnderTest
    private(set) var responses: [WriteResponse] = []
    private(set) var status: GRPCStatus?
    private var stream: RequestStream<WriteRequest>?

    init(_ service: ServiceUnderTest) {
        self.service = service
        self.stream = service.stub.write(
            received: { self.responses.append($0) },
            finished: { self.status = $0.status }
        )
    }

    var call: GRPCClientCall? { self.stream?.call }

    func send(_ writes: [Write], token: [UInt8] = [], streamID: UTF8Text = "") {
        self.stream?.send(
            WriteRequest(
                database: ServiceUnderTest.database,
                streamID: streamID,
                streamToken: token,
                writes: writes
            )
        )
    }

    /// Opens the stream.
    func shakeHands() throws {
        self.send([])
        try self.service.run()
        #expect(self.responses.count == 1)
    }

    /// Asks to go on with an earlier stream after one of its answers.
    func resume(_ earlier: Writing, after answer: Int) throws {
        self.send([], token: earlier.responses[answer].streamToken, streamID: earlier.responses[0].streamID)
        try self.service.run()
    }

    /// Commit times, one for each batch that was answered.
    var times: [Timestamp] { self.responses.compactMap(\.commitTime) }
}

func increment(_ path: String) throws -> Write {
    Write(
        name: try name(path),
        operation: .merge(.empty, mask: []),
        transforms: [FieldTransform(path: try FieldPath(parsing: "n".utf8), operation: .increment(.integer(1)))]
    )
}
