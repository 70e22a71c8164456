import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaWire
import Testing

@testable import BrasaService

/// A Write stream outlives its connections: what was applied is answered, and is not applied again.
@Suite struct WriteStreamResumptionTests {
    private func count(_ service: ServiceUnderTest) throws -> Int64 {
        let entries = try service.get("c/count").get().document?.fields.decoded
        guard case .integer(let count)? = entries?.first(where: { $0.key == "n" })?.value else { return 0 }
        return count
    }

    /// A stream with some answered increments, acknowledged by nothing that the client sent.
    private func writing(_ service: ServiceUnderTest, batches: Int) throws -> Writing {
        let writing = Writing(service)
        try writing.shakeHands()
        let token = writing.responses[0].streamToken
        for _ in 0..<batches { writing.send([try increment("c/count")], token: token) }
        try service.run()
        #expect(writing.times.count == batches)
        return writing
    }

    @Test(arguments: 0...5, [false, true])
    func `Whoever goes on after an answer gets those behind it, and then that to the handshake`(
        _ seen: Int,
        _ isOpen: Bool
    ) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let first = try self.writing(service, batches: 5)
        if !isOpen { first.call?.cancel() }
        try service.run()
        let second = Writing(service)
        try second.resume(first, after: seen)
        #expect(second.times == Array(first.times.dropFirst(seen)))
        #expect(
            second.responses.dropLast().map(\.streamToken) == first.responses.dropFirst(seen + 1).map(\.streamToken)
        )
        #expect(second.responses.dropLast().allSatisfy { $0.streamID.bytes.isEmpty && $0.writeResults.count == 1 })
        let handshake = try #require(second.responses.last)
        #expect(handshake.streamID == first.responses[0].streamID)
        #expect(handshake.writeResults.isEmpty && handshake.commitTime == nil)
        #expect(!first.responses.map(\.streamToken).contains(handshake.streamToken))
        #expect(first.status?.code == (isOpen ? .aborted : .cancelled))
        second.send([try increment("c/count")])
        try service.run()
        #expect(try self.count(service) == 6)
    }

    @Test func `A stream goes on as often as its connection breaks, and also after a half-close`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        var last = try self.writing(service, batches: 1)
        for number in 1...20 {
            if number.isMultiple(of: 2) { last.call?.cancel() } else { last.call?.halfClose() }
            try service.run()
            let next = Writing(service)
            try next.resume(last, after: last.responses.count - 1)
            // All answers of earlier connections have been seen.
            #expect(next.responses.count == 1)
            next.send([try increment("c/count")], token: next.responses[0].streamToken)
            try service.run()
            #expect(next.times.count == 1)
            last = next
        }
        #expect(try self.count(service) == 21)
    }

    @Test
    func `A batch that waits for locks is taken back when another connection takes over, and those behind it too`()
        throws
    {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/locked")])
        let transaction = try service.begin()
        _ = try service.get("c/locked", .transaction(transaction))
        let first = Writing(service)
        try first.shakeHands()
        first.send([try set("c/locked", [("n", .integer(1))])])
        first.send([try set("c/behind")])
        try service.run()
        let second = Writing(service)
        try second.resume(first, after: 0)
        #expect(first.status?.code == .aborted && first.times.isEmpty)
        #expect(second.responses.count == 1)
        try service.commit([], transaction: transaction)
        try service.run()
        #expect(try service.get("c/locked").get().document?.fields == .empty)
        #expect(try service.get("c/behind").status?.code == .notFound)
    }

    @Test func `Batches that are being stored are waited for, and answered to whoever goes on`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let first = Writing(service)
        try first.shakeHands()
        for _ in 0..<3 { first.send([try increment("c/count")]) }
        // Comes while they are being stored.
        let second = Writing(service)
        try second.resume(first, after: 0)
        #expect(second.responses.map { $0.commitTime != nil } == [true, true, true, false])
        #expect(first.status?.code == .aborted)
        #expect(try self.count(service) == 3)
    }

    @Test func `Of two that take over while a batch is being stored, the later one goes on`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let first = Writing(service)
        try first.shakeHands()
        first.send([try increment("c/count")])
        let second = Writing(service)
        second.send([], token: first.responses[0].streamToken, streamID: first.responses[0].streamID)
        let third = Writing(service)
        try third.resume(first, after: 0)
        #expect(second.status?.code == .aborted && second.responses.isEmpty)
        #expect(third.status == nil && third.times.count == 1 && third.responses.count == 2)
        third.send([try increment("c/count")])
        try service.run()
        #expect(try self.count(service) == 2)
    }

    @Test func `A batch that failed is not among the answers`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let first = Writing(service)
        try first.shakeHands()
        first.send([try increment("c/count")])
        first.send([Write(name: try name("c/none"), operation: .merge(.empty, mask: []), precondition: .exists(true))])
        try service.run()
        #expect(first.status?.code == .notFound)
        let second = Writing(service)
        try second.resume(first, after: 0)
        #expect(second.responses.map { $0.commitTime != nil } == [true, false])
    }

    @Test func `What a client has seen is forgotten, and so is what are too many answers or bytes`() throws {
        var bounds = WriteStreamTable.Bounds()
        bounds.record.answers = 3
        let service = try ServiceUnderTest(writeStreams: bounds)
        defer { service.close() }
        let first = try self.writing(service, batches: 5)
        let late = Writing(service)
        try late.resume(first, after: 1)
        #expect(late.status?.code == .aborted && first.status == nil)
        first.send([], token: first.responses[4].streamToken)
        try service.run()
        for seen in 0..<4 {
            let late = Writing(service)
            try late.resume(first, after: seen)
            #expect(late.status?.code == .aborted && late.responses.isEmpty && first.status == nil)
        }
        let second = Writing(service)
        try second.resume(first, after: 4)
        #expect(second.times == [first.times[4]] && second.status == nil)
    }

    @Test func `Nobody takes over a stream that is not theirs, or from where it never was`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let first = try self.writing(service, batches: 2)
        let (id, token) = (first.responses[0].streamID, first.responses[2].streamToken)
        let strangers: [(token: [UInt8], id: UTF8Text)] = [
            ([], id), (token, ""), ([1], id), (token + [0], id), (Array(repeating: 0, count: 8), id),
            (Array(repeating: 0xFF, count: 8), id), ([0, 0, 0, 0, 0, 0, 0, 4], id), (token, "brasa-another"),
            (token, UTF8Text(String(id.string.dropLast()))), ([], "some stream"), ([1], ""),
        ]
        for stranger in strangers {
            let second = Writing(service)
            second.send([], token: stranger.token, streamID: stranger.id)
            try service.run()
            #expect(second.status?.code == .aborted && second.responses.isEmpty, "\(stranger)")
        }
        var status: GRPCStatus?
        let foreign = service.stub.write(received: { _ in }, finished: { status = $0.status })
        let other = try DatabaseName(parsing: "projects/p/databases/other".utf8)
        foreign.send(WriteRequest(database: other, streamID: id, streamToken: token))
        try service.run()
        #expect(status?.code == .aborted)
        let eager = Writing(service)
        eager.send([try increment("c/count")], token: token, streamID: id)
        try service.run()
        #expect(eager.status?.code == .invalidArgument)
        first.send([try increment("c/count")])
        try service.run()
        #expect(first.times.count == 3 && first.status == nil)
    }

    @Test func `A stream is known for a while after its end, and as long as it is open`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let (open, over) = (try self.writing(service, batches: 1), try self.writing(service, batches: 1))
        over.call?.cancel()
        try service.run()
        service.engine.clock.advance(microseconds: 599_000_000)
        let again = Writing(service)
        try again.resume(over, after: 1)
        #expect(again.status == nil && again.responses.count == 1)
        again.call?.cancel()
        try service.run()
        service.engine.clock.advance(microseconds: 1_200_000_000)
        let (late, early) = (Writing(service), Writing(service))
        try late.resume(over, after: 1)
        try early.resume(open, after: 1)
        #expect(late.status?.code == .aborted)
        #expect(early.status == nil && early.responses.count == 1)
    }

    @Test(arguments: [(8, 1 << 20), (1_000, 8 * 700)])
    func `Of too many streams, the oldest are forgotten`(_ count: Int, _ bytes: Int) throws {
        var bounds = WriteStreamTable.Bounds()
        bounds.count = count
        bounds.bytes = bytes
        let service = try ServiceUnderTest(writeStreams: bounds)
        defer { service.close() }
        let all = try (0..<20).map { _ in try self.writing(service, batches: 1) }
        for writing in all {
            writing.call?.cancel()
            try service.run()
        }
        var known: [Bool] = []
        for writing in all {
            let again = Writing(service)
            try again.resume(writing, after: 0)
            known.append(again.status == nil && again.times.count == 1)
        }
        let kept = known.count { $0 }
        #expect(kept >= 4 && kept <= 10)
        #expect(known == Array(repeating: false, count: 20 - kept) + Array(repeating: true, count: kept))
    }

    @Test func `After the log has failed, only the next server says what became of the stream`() throws {
        let disk = SimulatedDisk(seed: 1)
        let service = try ServiceUnderTest(disk: disk)
        defer { service.close() }
        let first = try self.writing(service, batches: 1)
        disk.faults = SimulatedFaults(failedSyncs: 1_000)
        first.send([try increment("c/count")])
        // Comes while the batch is being stored, and one when it has failed.
        let second = Writing(service)
        try second.resume(first, after: 1)
        let third = Writing(service)
        try third.resume(first, after: 1)
        for writing in [second, third] { #expect(writing.status?.code == .unavailable && writing.responses.isEmpty) }
    }

    // MARK: The server's end

    /// What the next process finds on this disk.
    private func restarted(_ service: ServiceUnderTest, _ disk: SimulatedDisk, seed: UInt64 = 2) throws
        -> ServiceUnderTest
    {
        disk.killProcess()
        service.close()
        return try ServiceUnderTest(disk: disk, seed: seed)
    }

    @Test(arguments: 0...5, [false, true])
    func `A stream goes on with the next server, also from a checkpoint`(_ seen: Int, _ isCheckpointed: Bool) throws {
        let disk = SimulatedDisk(seed: 1)
        var service = try ServiceUnderTest(disk: disk)
        let first = try self.writing(service, batches: 5)
        if isCheckpointed { try service.engine.store.checkpoint() }
        service = try self.restarted(service, disk)
        let second = Writing(service)
        try second.resume(first, after: seen)
        #expect(second.times == Array(first.times.dropFirst(seen)))
        #expect(
            second.responses.dropLast().map(\.streamToken) == first.responses.dropFirst(seen + 1).map(\.streamToken)
        )
        #expect(second.status == nil)
        second.send([try increment("c/count")])
        try service.run()
        service = try self.restarted(service, disk, seed: 3)
        defer { service.close() }
        // Only the client remembers where it was: an answer to a handshake is no receipt.
        let third = Writing(service)
        let token = second.responses[second.responses.count - 2].streamToken
        third.send([], token: token, streamID: first.responses[0].streamID)
        try service.run()
        #expect(third.times == Array(second.times.suffix(1)) && third.status == nil)
        #expect(try self.count(service) == 6)
    }

    @Test func `A batch that changes nothing is answered by the next server, too`() throws {
        let disk = SimulatedDisk(seed: 1)
        var service = try ServiceUnderTest(disk: disk)
        let first = Writing(service)
        try first.shakeHands()
        first.send([Write(name: try name("c/none"), operation: .delete)])
        first.send([try increment("c/count")])
        try service.run()
        #expect(first.times.count == 2)
        service = try self.restarted(service, disk)
        defer { service.close() }
        let second = Writing(service)
        try second.resume(first, after: 0)
        #expect(second.times == first.times && second.responses.count == 3)
    }

    @Test func `The next server knows of the newest streams, of as many as may be over`() throws {
        var bounds = WriteStreamTable.Bounds()
        bounds.count = 8
        let disk = SimulatedDisk(seed: 1)
        var service = try ServiceUnderTest(disk: disk)
        let all = try (0..<20).map { _ in try self.writing(service, batches: 1) }
        disk.killProcess()
        service.close()
        service = try ServiceUnderTest(disk: disk, writeStreams: bounds, seed: 2)
        defer { service.close() }
        let known = try all.map { writing in
            let again = Writing(service)
            try again.resume(writing, after: 0)
            return again.status == nil && again.times.count == 1
        }
        #expect(known == Array(repeating: false, count: 12) + Array(repeating: true, count: 8))
    }

    @Test func `What a client says to have heard of the last server is believed within reason`() throws {
        let disk = SimulatedDisk(seed: 1)
        var service = try ServiceUnderTest(disk: disk)
        let first = try self.writing(service, batches: 2)
        service = try self.restarted(service, disk)
        defer { service.close() }
        for token in [.max, 1 << 33, 0] as [WriteStreamRecord.Position] {
            let hostile = Writing(service)
            hostile.send([], token: WriteStreamRecord.token(token), streamID: first.responses[0].streamID)
            try service.run()
            #expect(hostile.status?.code == .aborted && hostile.responses.isEmpty)
        }
        let ahead = Writing(service)
        ahead.send([], token: WriteStreamRecord.token(1 << 31), streamID: first.responses[0].streamID)
        try service.run()
        #expect(ahead.status == nil && ahead.responses.count == 1)
        ahead.send([try increment("c/count")])
        try service.run()
        #expect(ahead.times.count == 1)
        #expect(
            ahead.responses.compactMap { WriteStreamRecord.position($0.streamToken) } == [(1 << 31) + 1, (1 << 31) + 2]
        )
    }
}
