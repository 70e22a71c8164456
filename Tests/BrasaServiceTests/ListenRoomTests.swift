import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService

/// What the targets of Listen streams may take.
@Suite struct ListenRoomTests {
    private static let names = 1_000

    /// A target that takes about 200 KB.
    private func target(_ id: Int32) throws -> ListenTarget {
        let names = try (0..<Self.names).map { try name("c\(id)/\($0)") }
        return ListenTarget(id: id, .documents(names))
    }

    @Test func `Targets draw on the budget, which gets back what they took`() throws {
        let budget = ByteBudget(bytesMax: 64 << 20)
        let service = try ServiceUnderTest(budget: budget)
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try self.target(1))
        listening.add(try self.target(2))
        _ = try listening.take()
        let both = budget.drawnBytes
        #expect(both > 2 * 190 * Self.names)
        listening.remove(1)
        _ = try listening.take()
        #expect(budget.drawnBytes < both - 150 * Self.names)
        #expect(budget.drawnBytes > 190 * Self.names)
        listening.remove(2)
        _ = try listening.take()
        #expect(budget.drawnBytes <= 64 << 10)
        #expect(listening.status == nil)
    }

    @Test func `A target that is refused takes nothing`() throws {
        let budget = ByteBudget(bytesMax: 64 << 20)
        let service = try ServiceUnderTest(budget: budget)
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try self.target(1))
        _ = try listening.take()
        let one = budget.drawnBytes
        for _ in 0..<5 { listening.add(try self.target(1)) }
        _ = try listening.take()
        #expect(budget.drawnBytes <= one + (64 << 10))
    }

    @Test func `Targets past what their caller may have are refused alone, until one of the others ends`() throws {
        let admission = Admission(.administrator, share: CallerShare(CallerBounds(.init(listeners: 2))))
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .admitted(admission) })
        defer { service.close() }
        let streams = [Listening(service), Listening(service)]
        func isAdded(_ id: Int32, to stream: Int) throws -> Bool {
            streams[stream].add(ListenTarget(id: id, .documents([try name("c/\(id)")])))
            return try !streams[stream].take().contains { $0.contains("too many listeners of this caller") }
        }
        let first = [try isAdded(1, to: 0), try isAdded(2, to: 1), try isAdded(3, to: 1), try isAdded(4, to: 0)]
        #expect(first == [true, true, false, false])
        streams[0].remove(1)
        _ = try streams[0].take()
        let second = [try isAdded(5, to: 1), try isAdded(6, to: 0)]
        #expect(second == [true, false])
        streams[1].call?.halfClose()
        _ = try streams[1].take()
        #expect(try isAdded(7, to: 0) && isAdded(8, to: 0))
        #expect(streams[0].status == nil)
    }

    @Test func `What the targets of one caller may take is bounded on all streams together`() throws {
        let bounds = CallerBounds(.init(bytes: 500_000))
        let (one, other) = (CallerShare(bounds), CallerShare(bounds))
        let share = Box(one)
        let service = try ServiceUnderTest(
            reception: .credentials { _, _ in .admitted(Admission(.administrator, share: share.value)) }
        )
        defer { service.close() }
        func listen(_ id: Int32) throws -> Listening {
            let listening = Listening(service)
            listening.add(try self.target(id))
            _ = try listening.take()
            return listening
        }
        let streams = [try listen(1), try listen(2), try listen(3)]
        #expect(streams.map { $0.status?.code } == [nil, nil, .resourceExhausted])
        #expect(streams[2].status?.details != nil && bounds.refusals(.bytes) == 1)
        share.value = other
        #expect(try listen(4).status == nil)
        share.value = one
        streams[0].call?.halfClose()
        _ = try streams[0].take()
        #expect(try listen(5).status == nil)
    }

    @Test func `Past the budget a stream is refused, and those before it go on`() throws {
        let budget = ByteBudget(bytesMax: 2 << 20)
        let service = try ServiceUnderTest(budget: budget)
        defer { service.close() }
        var streams: [Listening] = []
        for id: Int32 in 1...30 {
            let listening = Listening(service)
            listening.add(try self.target(id))
            _ = try listening.take()
            streams.append(listening)
            #expect(budget.drawnBytes <= budget.bytesMax)
        }
        let refused = streams.filter { $0.status != nil }
        #expect(refused.count > 10 && refused.count < 30)
        #expect(refused.allSatisfy { $0.status?.code == .resourceExhausted })
        try service.commit([set("c1/0")])
        #expect(try streams[0].take().contains { $0.contains("c1/0") })
    }
}
