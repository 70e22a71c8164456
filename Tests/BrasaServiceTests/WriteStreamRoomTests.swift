import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaStatus
import BrasaStore
import BrasaWire
import Testing

@testable import BrasaService

/// What the answers that open Write streams keep may take.
@Suite struct WriteStreamRoomTests {
    private static let budgetBytes = 1 << 20
    private static let writes = 1_000

    private func batch(_ collection: String) throws -> [Write] {
        try (0..<Self.writes).map { try set("\(collection)/\($0)") }
    }

    private func keptBytes(_ service: ServiceUnderTest) -> Int {
        service.service.writeStreams.receipts(through: .latest).reduce(0) { $0 + $1.answer.count }
    }

    @Test func `Answers of open streams draw on the budget, and past it a batch is refused before it is applied`()
        throws
    {
        let budget = ByteBudget(bytesMax: Self.budgetBytes)
        let service = try ServiceUnderTest(budget: budget)
        defer { service.close() }
        var accepted: [Writing] = []
        var refused: [Writing] = []
        for number in 0..<100 {
            let writing = Writing(service)
            writing.send([])
            try service.run()
            guard writing.status == nil else {
                refused.append(writing)
                continue
            }
            writing.send(try self.batch("c\(number)"))
            try service.run()
            let isApplied = try service.get("c\(number)/0").status == .ok
            #expect(isApplied == (writing.times.count == 1), "who is refused has written nothing")
            if isApplied { accepted.append(writing) } else { refused.append(writing) }
            #expect(self.keptBytes(service) <= budget.drawnBytes)
            #expect(budget.drawnBytes <= Self.budgetBytes)
        }
        #expect(accepted.count > 5)
        #expect(accepted.allSatisfy { $0.status == nil })
        #expect(refused.count > 5)
        #expect(refused.allSatisfy { $0.status?.code == .resourceExhausted })

        // The newest answer is there for each of them.
        for earlier in [accepted[0], accepted[accepted.count - 1]] {
            let later = Writing(service)
            try later.resume(earlier, after: 0)
            #expect(later.times == earlier.times)
        }
    }

    @Test func `What the client has seen is given back`() throws {
        let budget = ByteBudget(bytesMax: 64 << 20)
        let service = try ServiceUnderTest(budget: budget)
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        let before = budget.drawnBytes
        for number in 0..<20 { writing.send(try self.batch("c\(number)")) }
        try service.run()
        #expect(writing.times.count == 20)
        let answers = self.keptBytes(service)
        #expect(answers > 20 * 10 * Self.writes)
        #expect(budget.drawnBytes - before >= answers - (16 << 10))
        writing.send([], token: try #require(writing.responses.last).streamToken)
        try service.run()
        #expect(self.keptBytes(service) == 0)
        #expect(budget.drawnBytes - before <= 64 << 10)
    }
}
