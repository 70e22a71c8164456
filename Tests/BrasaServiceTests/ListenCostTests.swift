import BrasaDocuments
import BrasaMessages
import CBrasaAllocations
import Testing

@testable import BrasaService

/// What one more listener to a document costs a commit, counted from the durable commit to the bytes on the connection. The
/// bounds are for a build without optimisation, in which passing bytes along allocates, too.
@Suite("An event to a listener allocates little", .enabled(if: brasa_allocations_are_counted()))
struct ListenCostTests {
    private static let commits = 8

    /// What a commit takes with so many listeners, each with so many targets, of which it concerns one.
    private func allocations(listeners: Int, targets: Int) throws -> Double {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let listening = try (0..<listeners).map { _ in
            let listening = Listening(service)
            for id in 1...targets { listening.add(try .documents(Int32(id), "c/\(id)")) }
            return listening
        }
        for each in listening { _ = try each.take() }
        var count = 0
        for number in 0..<2 * Self.commits {
            let allocations = try service.allocationsToTell(try set("c/1", [("n", .integer(Int64(number)))]))
            if number >= Self.commits { count += allocations }
        }
        for each in listening {
            let expected = Array(repeating: ["c/1 +1", "SNAPSHOT"], count: 2 * Self.commits).flatMap { $0 }
            #expect(try each.take() == expected)
        }
        return Double(count) / Double(Self.commits)
    }

    /// All that a commit takes once is in both counts.
    @Test("on a stream of one target, and of two", arguments: [1, 2])
    func events(targets: Int) throws {
        let (few, many) = (8, 40)
        let more =
            try self.allocations(listeners: many, targets: targets)
            - self.allocations(listeners: few, targets: targets)
        let each = more / Double(many - few)
        #expect(each <= 2.2, "\(each)")
    }
}
