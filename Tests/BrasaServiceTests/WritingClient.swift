import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaStatus
import BrasaWire

@testable import BrasaService

/// A client that goes by the rule: answers before that to the handshake are the front of its queue's, and nothing else
/// was applied.
final class WritingClient {
    private var service: ServiceUnderTest
    private let path: String
    private var queued = 0
    private var sent = 0
    private(set) var made = 0
    private(set) var complaint: String?
    private var id: UTF8Text = ""
    private var token: [UInt8] = []
    private var isReady = false
    private var isForgotten = false
    /// The server may fail, and is followed by another one.
    private let isServerMortal: Bool
    private var stream: RequestStream<WriteRequest>?

    init(_ service: ServiceUnderTest, _ path: String, isServerMortal: Bool = false) {
        self.isServerMortal = isServerMortal
        self.service = service
        self.path = path
    }

    var isDone: Bool { self.queued == 0 }
    var isConnected: Bool { self.stream != nil }

    func write() throws {
        self.queued += 1
        self.made += 1
        try self.sendAll()
    }

    func connect() {
        self.isReady = false
        self.sent = 0
        // Who has hung up hears nothing.
        var isCurrent = { false }
        let stream = self.service.stub.write(
            received: { if isCurrent() { self.received($0) } },
            finished: { if isCurrent() { self.finished($0.status) } }
        )
        isCurrent = { [weak self] in self?.stream?.call === stream.call }
        self.stream = stream
        stream.send(WriteRequest(database: ServiceUnderTest.database, streamID: self.id, streamToken: self.token))
    }

    func hangUp(inGoodOrder: Bool) {
        guard let call = self.stream.take()?.call else { return }
        if inGoodOrder { call.halfClose() } else { call.cancel() }
    }

    private func sendAll() throws {
        guard self.isReady, let stream else { return }
        for _ in self.sent..<self.queued {
            stream.send(
                WriteRequest(
                    database: ServiceUnderTest.database,
                    streamToken: self.token,
                    writes: [try increment(self.path)]
                )
            )
        }
        self.sent = self.queued
    }

    private func received(_ response: WriteResponse) {
        self.token = response.streamToken
        if response.commitTime != nil {
            if self.queued == 0 { self.complaint = "an answer to nothing" }
            self.queued -= 1
            if self.isReady { self.sent -= 1 }
            return
        }
        if !self.id.bytes.isEmpty, response.streamID != self.id { self.complaint = "another stream" }
        self.id = response.streamID
        self.isReady = true
        self.isForgotten = false
        do { try self.sendAll() } catch { self.complaint = "\(error)" }
    }

    private func finished(_ status: GRPCStatus) {
        if self.isServerMortal, [.unavailable, .dataLoss].contains(status.code) { return self.loseConnection() }
        guard self.isForgotten, status.code == .aborted else {
            self.complaint = "\(status)"
            return
        }
        // Nothing was applied that was not answered.
        self.id = ""
        self.token = []
        self.stream = nil
    }

    func loseConnection() {
        self.stream = nil
    }

    /// The server is gone, and with it what was on the way. Of streams on which nothing was written the next one knows
    /// nothing.
    func move(to service: ServiceUnderTest) {
        self.service = service
        self.isForgotten = true
    }
}
