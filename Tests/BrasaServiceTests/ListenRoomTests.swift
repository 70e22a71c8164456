import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
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
